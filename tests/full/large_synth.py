#!/usr/bin/env python3
"""Makes and summarizes a profile of five million events, and compares it with sums that SQLite computes from the same
file."""

import csv
import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from pathlib import Path

EVENTS = "5M"
DISK_BYTES = 4 << 30  # the profile takes some 100 bytes an event, SQLite's sort as much again


def sonde(*arguments: str) -> str:
    run = subprocess.run([os.environ["SONDE"], *arguments], capture_output=True, text=True, check=False)
    if run.returncode != 0:
        sys.exit(f"sonde {' '.join(arguments)} ended with {run.returncode}:\n{run.stderr}")
    return run.stdout


def sums_of_sonde(profile: Path) -> tuple[int, int]:
    """Kernels and their total time, added up over the rows of the report."""
    text = sonde("stats", "-r", "cuda_gpu_kern_sum", "--format", "csv", "--output", "-", str(profile))
    lines = text.splitlines()
    header = next(i for i, line in enumerate(lines) if "Total Time (ns)" in line)
    rows = list(csv.DictReader(line for line in lines[header:] if line))
    return sum(int(r["Instances"]) for r in rows), sum(int(r["Total Time (ns)"]) for r in rows)


def sums_of_sqlite(profile: Path) -> tuple[int, int]:
    database = sqlite3.connect(f"file:{profile}?mode=ro", uri=True)
    return database.execute('SELECT count(*), sum("end" - start) FROM CUPTI_ACTIVITY_KIND_KERNEL').fetchone()


def main() -> int:
    with tempfile.TemporaryDirectory() as folder:
        if shutil.disk_usage(folder).free < DISK_BYTES:
            print(f"skipped: {folder} has less than 4 GiB free; TMPDIR names another folder")
            return 77
        profile = Path(folder) / "large.sqlite"
        sonde("synth", "--program", "inference", "--events", EVENTS, "--seed", "1", "-o", str(profile))
        ours, theirs = sums_of_sonde(profile), sums_of_sqlite(profile)
    print(f"kernels and their time in ns: sonde {ours}, SQLite {theirs}")
    return 0 if ours == theirs and ours[0] > 0 else 1


if __name__ == "__main__":
    sys.exit(main())
