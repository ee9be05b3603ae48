#!/usr/bin/env python3
"""Checks configuration files with mistakes: the messages for tests/config/wrong/NAME.yaml are exactly NAME.txt;
--update writes these. The files of examples/ have no mistakes."""

import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
WRONG = ROOT / "tests/config/wrong"
LEAST = 50
# FILE:LINE:COLUMN: KEY: what is wrong; allowed: what. YAML's own mistakes have no key.
LINE = re.compile(r"^[\w.]+\.yaml:\d+:\d+: (?:[\w.<>\\]+: )?[^;]+(?:; [^;]+)?; allowed: .+$")


def told_of(files, folder):
    dump_config = Path(os.environ["TEST_TOOLS"]) / "dump_config"
    done = subprocess.run([dump_config, "check", *files], cwd=folder, capture_output=True, text=True, check=True)
    return done.stdout


def failures(update):
    files = sorted(path.name for path in WRONG.glob("*.yaml"))
    if len(files) < LEAST:
        yield f"there are only {len(files)} files with mistakes"
    for name in files:
        told = told_of([name], WRONG)
        expected = (WRONG / name).with_suffix(".txt")
        if update:
            expected.write_text(told, encoding="utf-8")
        if told != expected.read_text(encoding="utf-8"):
            yield f"{name} is told otherwise:\n{told}"
        yield from (f"not told in the agreed form: {line}" for line in told.splitlines() if not LINE.match(line))
    examples = sorted(path.name for path in (ROOT / "examples").glob("config*.yaml"))
    told = told_of(examples, ROOT / "examples")
    if told != "".join(f"{name}: valid\n" for name in examples):
        yield told


def main():
    found = list(failures("--update" in sys.argv))
    print("\n".join(found) or f"{len(list(WRONG.glob('*.yaml')))} files with mistakes are told as they should be")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
