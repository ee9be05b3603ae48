#!/usr/bin/env python3
"""The aarch64 build under qemu's user emulation: why, stats and report of the example profile are those of this processor's
program, and the parts of the recorder that need x86-64 are refused with a message."""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

SOURCES = Path(__file__).resolve().parents[2]
BUILD = SOURCES / "build" / "portable-arm64"
SYSROOT = SOURCES / "build" / "sysroot" / "arm64"


def skip(why: str):
    print(f"skipped: {why}")
    sys.exit(77)


def run(program: list, *words: str) -> str:
    done = subprocess.run([*program, *words], text=True, capture_output=True)
    if done.returncode != 0:
        raise AssertionError(f"{' '.join(words)} ended with {done.returncode}: {done.stdout}{done.stderr}")
    return done.stdout + done.stderr


def main() -> int:
    if not (BUILD / "sonde").exists():
        skip(f"there is no {BUILD / 'sonde'}; ./dev package arm64 makes it")
    if not shutil.which("qemu-aarch64-static"):
        skip("qemu-aarch64-static is missing; tools/packages.sh package-arm64 installs it")
    here = [os.environ["SONDE"]]
    there = ["qemu-aarch64-static", "-L", SYSROOT, BUILD / "sonde"]
    with tempfile.TemporaryDirectory() as name:
        profile = f"{name}/inference.sqlite"
        run(here, "synth", "--program", "inference", "--plant", "gap", "--plant", "pageable", "-o", profile)
        for words in (("why", profile), ("stats", profile), ("why", "--json", profile)):
            assert run(there, *words) == run(here, *words), f"sonde {words[0]} differs on aarch64"
        run(there, "report", profile, "-o", f"{name}/report.html")
        assert Path(name, "report.html").stat().st_size > 100_000
        words = ["record", "--dry-run", "-s", "process-tree", "-b", "dwarf", "--", "true"]
        refused = subprocess.run([*there, *words], text=True, capture_output=True)
        assert refused.returncode != 0 and "x86-64 only" in refused.stderr, refused
    return 0


if __name__ == "__main__":
    sys.exit(main())
