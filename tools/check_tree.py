#!/usr/bin/env python3
"""Fails on files of the tree that hold what only one machine knows, on Python that does not compile, and on scripts that
name their interpreter but cannot be executed.

A path of the machine that a file was written on means nothing elsewhere. More words that a clone keeps out of its
commits can stand, one regular expression a line, in .git/info/forbidden-words.
"""

import ast
import os
import re
import subprocess
import sys
from pathlib import Path

# Tests of what is kept private need a home that is nobody's: /home/somebody.
MACHINE_PATHS = [r"(?<![\w.])/(?:work|home(?!/somebody\b)|root|tmp/wt)/\w+"]


def git(*arguments: str) -> str:
    return subprocess.run(["git", *arguments], check=True, capture_output=True, text=True).stdout


def forbidden() -> re.Pattern:
    local = Path(git("rev-parse", "--git-common-dir").strip()) / "info/forbidden-words"
    words = local.read_text(encoding="utf-8").split("\n") if local.exists() else []
    return re.compile("|".join(MACHINE_PATHS + [w for w in words if w.strip()]))


def problems_in(path: Path, words: re.Pattern) -> list[str]:
    try:
        text = path.read_text(encoding="utf-8")
    except (UnicodeDecodeError, FileNotFoundError):  # binary, or deleted and not yet committed
        return []
    problems = [
        f"{path}:{number}: '{match.group(0)}' belongs to one machine or clone, not into the tree"
        for number, line in enumerate(text.splitlines(), 1)
        if (match := words.search(line))
    ]
    if text.startswith("#!") and not os.access(path, os.X_OK):
        problems.append(f"{path}: names its interpreter, but is not executable (chmod +x)")
    if path.suffix == ".py":
        try:
            ast.parse(text, str(path))
        except SyntaxError as error:
            problems.append(f"{path}:{error.lineno}: {error.msg}")
    return problems


def main() -> int:
    words = forbidden()
    paths = git("ls-files", "-co", "--exclude-standard", "-z").split("\0")
    problems = [p for path in paths if path for p in problems_in(Path(path), words)]
    for problem in problems:
        print(problem, file=sys.stderr)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
