#!/usr/bin/env python3
"""Runs clang-tidy over src, in parallel, skipping what passed before and did not change since.

Files are checked in the groups of the preset lint (unity builds): most of the time goes into headers. Without
--all and without CI in the environment, only files that differ from the upstream branch are checked, each by itself.

A key is the content of the files, of all headers of this tree that they include (directly or not), of .clang-tidy, the
compile flags and the version of clang-tidy. A key that passed leaves an empty file in ~/.cache/sonde/tidy, which serves
every checkout, as ccache does.

    tools/tidy.py [--all] [--again] [--time] [FILE...]
"""

import argparse
import hashlib
import json
import os
import re
import shlex
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SOURCES = ROOT / "src"
CACHE = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "sonde/tidy"
DATABASE = ROOT / "build/lint/compile_commands.json"
TIDY = "clang-tidy-19"
INCLUDE = re.compile(r'^\s*#\s*include\s*"([^"]+)"', re.MULTILINE)


@dataclass
class Unit:
    """What one run of clang-tidy checks: a source file, or a group of them."""

    path: Path
    flags: list[str]
    sources: list[Path]  # of the tree

    def name(self) -> str:
        return str(self.sources[0].relative_to(ROOT)) + (f" and {n} more" if (n := len(self.sources) - 1) else "")


def with_includes(path: Path, seen: set[Path]) -> set[Path]:
    """The file and all of this tree that it includes."""
    if path not in seen and path.exists():
        seen.add(path)
        for name in INCLUDE.findall(path.read_text(encoding="utf-8")):
            with_includes(SOURCES / name, seen)
    return seen


def units() -> list[Unit]:
    """The compiled files of src, groups as one."""
    found = []
    for entry in json.loads(DATABASE.read_text(encoding="utf-8")):
        path = Path(entry["file"])
        words = shlex.split(entry["command"])
        first = next(at for at, word in enumerate(words) if re.search(r"(?:^|/)(?:cc|gcc|clang|[cg]\+\+|clang\+\+)[-.\d]*$", word)) + 1
        flags = [w for at, w in enumerate(words) if at >= first and not {w, words[at - 1]} & {"-o", "-c"}]
        if "-include-pch" in flags:  # nobody builds it here; the header itself is included by the next option
            at = flags.index("-include-pch")
            del flags[at - 1:at + 3]  # -Xclang -include-pch -Xclang FILE
        sources = [path]
        if not path.is_relative_to(SOURCES):
            sources = [Path(name) for name in INCLUDE.findall(path.read_text(encoding="utf-8"))] if path.exists() else []
        sources = [s for s in sources if s.is_relative_to(SOURCES) and s.exists()]
        if sources:
            found.append(Unit(path, flags, sources))
    return found


def key_of(unit: Unit, common: bytes) -> str:
    digest = hashlib.sha256(common + " ".join(unit.flags).replace(str(ROOT), "").encode())
    parts = set()
    for source in unit.sources:
        with_includes(source, parts)
    for part in sorted(parts):
        digest.update(part.name.encode() + b"\0" + part.read_bytes())
    return digest.hexdigest()


def tidy(unit: Unit) -> tuple[bool, str, float]:
    began = time.monotonic()
    run = subprocess.run([TIDY, "--quiet", str(unit.path), "--", *unit.flags], cwd=ROOT, capture_output=True, text=True)
    # stderr counts the warnings in system headers, which nobody asked for; it matters only when clang-tidy itself fails.
    text = run.stdout if run.stdout.strip() or run.returncode == 0 else run.stderr
    return run.returncode == 0, text, time.monotonic() - began


def git_lines(*arguments: str) -> list[str]:
    run = subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True)
    return run.stdout.split("\n") if run.returncode == 0 else []


def changed_files() -> set[Path] | None:
    """Files that differ from the upstream branch, committed or not; None where there is no upstream."""
    base = git_lines("merge-base", "HEAD", "@{upstream}")
    if not base:
        return None
    names = git_lines("diff", "--name-only", base[0]) + git_lines("ls-files", "-o", "--exclude-standard")
    return {ROOT / name for name in names if name}


def alone(chosen: set[Path], of: list[Unit]) -> list[Unit]:
    """A unit for each chosen file, with the flags of its group."""
    return [Unit(s, unit.flags, [s]) for unit in of for s in unit.sources if s in chosen]


def wanted(options: argparse.Namespace) -> list[Unit]:
    everything = units()
    if options.file:
        return alone({f.resolve() for f in options.file}, everything)
    changed = None if options.all or os.environ.get("CI") else changed_files()
    return everything if changed is None else alone(changed, everything)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--all", action="store_true", help="check all files, not only changed ones")
    parser.add_argument("--again", action="store_true", help="also check what passed before")
    parser.add_argument("--time", action="store_true", help="print the seconds that each group took")
    parser.add_argument("file", nargs="*", type=Path)
    options = parser.parse_args()

    version = subprocess.run([TIDY, "--version"], check=True, capture_output=True).stdout
    common = version + (ROOT / ".clang-tidy").read_bytes()
    CACHE.mkdir(parents=True, exist_ok=True)
    chosen = wanted(options)
    keys = {unit.path: key_of(unit, common) for unit in chosen}
    todo = [unit for unit in chosen if options.again or not (CACHE / keys[unit.path]).exists()]
    failures = 0
    with ThreadPoolExecutor(int(os.environ.get("SONDE_JOBS", os.cpu_count() or 1))) as pool:
        for unit, (passed, text, seconds) in zip(todo, pool.map(tidy, todo)):
            if passed:
                (CACHE / keys[unit.path]).touch()
            failures += not passed
            if text.strip():
                print(text.strip())
            if options.time:
                print(f"{seconds:6.1f} s  {unit.name()}")
    print(f"clang-tidy: {len(todo)} of {len(chosen)} groups and files checked, {failures} with complaints")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
