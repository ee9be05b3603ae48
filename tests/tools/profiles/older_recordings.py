#!/usr/bin/env python3
"""Recordings that an older `sonde record` made stay readable: tests/recordings has one of each kind, made with the
stand-ins for CUDA. Their rows are counted by SQL and by the tables of today's program."""

import csv
import io
import json
import lzma
import os
import pathlib
import sqlite3
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve()
RECORDINGS = HERE.parents[2] / "recordings"
PROGRAM = os.environ.get("SONDE", str(HERE.parents[3] / "build/release/sonde"))
ANSWERS = (0, 3, 4)  # of `sonde why`: problems, nothing found, could not look

# What each kind of row is counted by: its table, with a condition, and a report with the column that counts.
COUNTS = {
    "kernels": ("CUPTI_ACTIVITY_KIND_KERNEL", "", "cuda_gpu_kern_sum", "Instances"),
    "copies and sets": ("CUPTI_ACTIVITY_KIND_MEMCPY", "", "cuda_gpu_mem_size_sum", "Count"),
    "API calls": ("CUPTI_ACTIVITY_KIND_RUNTIME", "", "cuda_api_sum", "Num Calls"),
    "push/pop ranges": ("NVTX_EVENTS", " WHERE eventType = 59", "nvtx_pushpop_sum", "Instances"),
    "OS calls": ("OSRT_API", "", "osrt_sum", "Num Calls"),
}


def rows(path, table, condition=""):
    with sqlite3.connect(path) as database:
        found = database.execute("SELECT 1 FROM sqlite_master WHERE name = ?", (table,)).fetchone()
        return database.execute(f"SELECT count(*) FROM {table}{condition}").fetchone()[0] if found else 0


def sonde(*words):
    run = subprocess.run([PROGRAM, *map(str, words)], capture_output=True, text=True, check=False, timeout=60)
    assert run.returncode >= 0, (words, run.returncode, run.stderr)
    return run


def counted(path, report, column):
    run = sonde("stats", "-r", report, "--format", "csv", path)
    table = list(csv.DictReader(io.StringIO(run.stdout)))
    return sum(int(row[column]) for row in table)


def check_tables(path):
    for what, (table, condition, report, column) in COUNTS.items():
        wanted = rows(path, table, condition)
        if what == "copies and sets":
            wanted += rows(path, "CUPTI_ACTIVITY_KIND_MEMSET")
        found = counted(path, report, column)
        assert found == wanted, f"{path.name}: {found} {what}, not {wanted}"


def check_kernel_profiles(path):
    wanted = rows(path, "SONDE_KERNEL_PROFILE")
    if wanted == 0:
        return
    found = list(csv.DictReader(io.StringIO(sonde("kernels", "--format", "csv", path).stdout)))
    assert len(found) == wanted, (path.name, len(found), wanted)


def check_answers(path):
    run = sonde("why", "--json", path)
    assert run.returncode in ANSWERS and json.loads(run.stdout), (path.name, run.returncode, run.stderr)
    run = sonde("summary", "--json", path)
    assert run.returncode == 0 and json.loads(run.stdout), (path.name, run.returncode, run.stderr)


def main():
    paths = sorted(RECORDINGS.glob("*.sqlite.xz"))
    assert paths, RECORDINGS
    with tempfile.TemporaryDirectory() as folder:
        for packed in paths:
            path = pathlib.Path(folder) / packed.stem
            path.write_bytes(lzma.decompress(packed.read_bytes()))
            check_tables(path)
            check_kernel_profiles(path)
            check_answers(path)
            print(f"ok   {packed.name}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
