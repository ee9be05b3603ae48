#!/usr/bin/env python3
"""The aarch64 build under qemu's user emulation: why, stats and report print and write the same bytes as this processor's
program, for an example and for the profiles of SONDE_TEST_DATA; it records itself; and what needs x86-64 in the recorder is
named as such."""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

SOURCES = Path(__file__).resolve().parents[2]
BUILD = SOURCES / "build" / "portable-arm64"
SYSROOT = SOURCES / "build" / "sysroot" / "arm64"
HERE = [os.environ.get("SONDE", "sonde")]
THERE = ["qemu-aarch64-static", "-L", str(SYSROOT), str(BUILD / "sonde")]
KINDS = ("nsys_sqlite/*.sqlite", "nsys_rep/*.nsys-rep", "kineto/*.json", "kineto/*.json.gz")
LARGEST_BYTES = 3_000_000  # qemu takes 10 to 20 times as long
READING = (["why"], ["why", "--json"], ["stats"])


def skip(why: str):
    print(f"skipped: {why}")
    sys.exit(77)


def run(program: list, *words: str) -> str:
    done = subprocess.run([*program, *words], text=True, capture_output=True)
    if done.returncode != 0:
        raise AssertionError(f"{' '.join(words)} ended with {done.returncode}: {done.stdout}{done.stderr}")
    return done.stdout + done.stderr


def first_difference(here: bytes, there: bytes) -> str:
    at = next((i for i, (a, b) in enumerate(zip(here, there)) if a != b), min(len(here), len(there)))
    part = slice(max(0, at - 80), at + 80)
    return f"byte {at}: {here[part]!r} here, {there[part]!r} on aarch64"


def outcome(program: list, words: list[str]) -> bytes:
    """All that a command prints, and how it ends."""
    done = subprocess.run([*program, *words], capture_output=True)
    return done.stdout + done.stderr + f"exit {done.returncode}".encode()


def report(program: list, profile: str, file: Path) -> bytes:
    """The page, or the error of a profile that has none."""
    done = subprocess.run([*program, "report", profile, "-o", file, "--force-overwrite"], capture_output=True)
    return file.read_bytes() if done.returncode == 0 else done.stderr


def compare(profile: str, folder: Path) -> int:
    """Bytes that are the same."""
    total = 0
    pairs = [(" ".join(words), outcome(HERE, [*words, profile]), outcome(THERE, [*words, profile])) for words in READING]
    pairs.append(("report", *(report(program, profile, folder / "report.html") for program in (HERE, THERE))))
    for what, here, there in pairs:
        assert here == there, f"sonde {what} {profile} differs on aarch64, {first_difference(here, there)}"
        total += len(here)
    return total


def compare_real_profiles(folder: Path):
    data = os.environ.get("SONDE_TEST_DATA")
    if not data:
        print("SONDE_TEST_DATA names no folder of real profiles: only the example was compared")
        return
    for kind in KINDS:
        files = [file for file in sorted(Path(data).glob(kind)) if file.stat().st_size < LARGEST_BYTES]
        total = sum(compare(str(file), folder) for file in files)
        print(f"{kind}: {len(files)} profiles, {total} bytes are the same", flush=True)


def check_recorder(folder: Path):
    """The injected library works in a program of aarch64; qemu hands the environment on to it."""
    profile = str(folder / "run.sqlite")
    said = run(THERE, "record", "-t", "osrt,cublas", "-o", profile, "--", *THERE, "--version")
    assert "no call of cublas was recorded: recording library calls works on x86-64 only" in said, said
    calls = run(HERE, "stats", "-q", "-r", "osrt_sum", profile)
    assert "fwrite" in calls, calls
    refused = subprocess.run(
        [*THERE, "record", "--dry-run", "-s", "process-tree", "-b", "dwarf", "--", "true"], text=True, capture_output=True
    )
    assert refused.returncode != 0 and "x86-64 only" in refused.stderr, refused


def main() -> int:
    if not (BUILD / "sonde").exists():
        skip(f"there is no {BUILD / 'sonde'}; ./dev package arm64 makes it")
    if not shutil.which(THERE[0]):
        skip(f"{THERE[0]} is missing; tools/packages.sh package-arm64 installs it")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        profile = f"{name}/inference.sqlite"
        run(HERE, "synth", "--program", "inference", "--plant", "gap", "--plant", "pageable", "-o", profile)
        assert compare(profile, folder) > 100_000
        compare_real_profiles(folder)
        check_recorder(folder)
    return 0


if __name__ == "__main__":
    sys.exit(main())
