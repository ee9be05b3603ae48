#!/usr/bin/env python3
"""Runs clang-tidy over src, in parallel, skipping what passed before and did not change since.

A file's key is the content of the file, of all headers of this tree that it includes (directly or not), of .clang-tidy,
its compile command and the version of clang-tidy. A key that passed leaves an empty file in ~/.cache/sonde/tidy, which
serves every checkout, as ccache does.

    tools/tidy.py [--all] [--time] [FILE...]
"""

import argparse
import hashlib
import json
import os
import re
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SOURCES = ROOT / "src"
CACHE = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "sonde/tidy"
DATABASE = ROOT / "build/release/compile_commands.json"
TIDY = "clang-tidy-19"
INCLUDE = re.compile(r'^\s*#\s*include\s*"([^"]+)"', re.MULTILINE)


def with_includes(path: Path, seen: set[Path]) -> set[Path]:
    """The file and all of this tree that it includes."""
    if path not in seen and path.exists():
        seen.add(path)
        for name in INCLUDE.findall(path.read_text(encoding="utf-8")):
            with_includes(SOURCES / name, seen)
    return seen


def key_of(path: Path, command: str, common: bytes) -> str:
    digest = hashlib.sha256(common + command.replace(str(ROOT), "").encode())
    for part in sorted(with_includes(path, set())):
        digest.update(part.name.encode() + b"\0" + part.read_bytes())
    return digest.hexdigest()


def tidy(path: Path) -> tuple[bool, str, float]:
    began = time.monotonic()
    run = subprocess.run(
        [TIDY, "--quiet", "-p", str(DATABASE.parent), str(path)], cwd=ROOT, capture_output=True, text=True
    )
    # stderr counts the warnings in system headers, which nobody asked for; it matters only when clang-tidy itself fails.
    text = run.stdout if run.stdout.strip() or run.returncode == 0 else run.stderr
    return run.returncode == 0, text, time.monotonic() - began


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--all", action="store_true", help="also what passed before")
    options.add_argument("--time", action="store_true", help="print the seconds that each file took")
    options.add_argument("file", nargs="*", type=Path)
    chosen = options.parse_args()

    only = {f.resolve() for f in chosen.file}
    commands = {Path(entry["file"]): entry["command"] for entry in json.loads(DATABASE.read_text(encoding="utf-8"))}
    files = [f for f in sorted(commands) if f.is_relative_to(SOURCES) and f.exists() and (not only or f in only)]
    version = subprocess.run([TIDY, "--version"], check=True, capture_output=True).stdout
    common = version + (ROOT / ".clang-tidy").read_bytes()

    CACHE.mkdir(parents=True, exist_ok=True)
    keys = {f: key_of(f, commands[f], common) for f in files}
    todo = [f for f in files if chosen.all or not (CACHE / keys[f]).exists()]
    failures = 0
    with ThreadPoolExecutor(int(os.environ.get("SONDE_JOBS", os.cpu_count() or 1))) as pool:
        for path, (passed, text, seconds) in zip(todo, pool.map(tidy, todo)):
            if passed:
                (CACHE / keys[path]).touch()
            failures += not passed
            if text.strip():
                print(text.strip())
            if chosen.time:
                print(f"{seconds:6.1f} s  {path.relative_to(ROOT)}")
    print(f"clang-tidy: {len(todo)} of {len(files)} files checked, {failures} with complaints")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
