#!/usr/bin/env python3
"""Damaged Nsight Systems reports are read or refused in bounded time and memory: a sample; tests/full has all of it.

usage: SONDE_TEST_DATA=FOLDER TEST_TOOLS=FOLDER [SONDE_TEST_FULL=1] nsys_rep_damage.py [PART OF A FILE NAME]...
"""

import concurrent.futures
import os
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "reference"))

import compare

SAMPLE = ("100", "300")  # random prefixes, random changes
ALL = ("2000", "10000")
SEED = "1"


def check(path):
    tool = pathlib.Path(os.environ["TEST_TOOLS"]) / "damage_nsys_report"
    amount = ALL if os.environ.get("SONDE_TEST_FULL") == "1" else SAMPLE
    environment = os.environ | {"SONDE_THREADS": "1"}
    result = subprocess.run([tool, path, *amount, SEED], capture_output=True, text=True, check=False, env=environment)
    print(f"{'ok' if result.returncode == 0 else 'FAILED':8}{path.name}  {(result.stdout + result.stderr).strip()}", flush=True)
    return result.returncode != 0


def main():
    paths = compare.selected(compare.data_folder("nsys_rep").glob("*.nsys-rep"))
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        failed = sum(pool.map(check, paths))
    return 1 if failed or not paths else 0


if __name__ == "__main__":
    sys.exit(main())
