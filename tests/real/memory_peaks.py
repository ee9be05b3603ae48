#!/usr/bin/env python3
"""Checks what Sonde says of device memory at its peak against a second computation from the raw file, for each real trace
with memory events, and that no finding claims a shortage of memory where there was none.

SONDE_SNAPSHOTS names a folder with memory snapshots of PyTorch (*.pickle) to check too."""

import csv
import io
import os
import subprocess
import sys
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "reference"))
import memory_peak  # noqa: E402

SONDE = os.environ["SONDE"]
SKIPPED = 77
TRACES = ["hta_df_index_resolver_54MB", "tracelens_h100_bert_small", "tracelens_h100_qwen1.5", "tracelens_mi300_bert_small"]
SHORTAGES = ("memory_full", "memory_unused", "out_of_memory")


def table(report, path):
    run = subprocess.run([SONDE, "stats", "-q", "-f", "csv", "-r", report, path], check=True, capture_output=True, text=True)
    return list(csv.DictReader(io.StringIO(run.stdout)))


def check(holds, what):
    if not holds:
        raise SystemExit(f"failed: {what}")


def levels(path):
    """device number -> (peak, reserved at any time)"""
    return {row["GPU"]: row for row in table("memory_usage_sum", path) if row["Memory"] == "Device"}


def check_trace(path):
    usage, held = levels(path), table("memory_peak_sum", path)
    for device, (peak, _, earlier, by_operator) in memory_peak.of_trace(path).items():
        gpu = f"GPU {device}"
        mine = [row for row in held if row["GPU"] == gpu]
        check(int(usage[gpu]["Peak (bytes)"]) == peak, (path, usage[gpu], peak))
        check(sum(int(row["Size (bytes)"]) for row in mine) == peak, (path, "sum of what is held", peak))
        found = Counter()
        for row in mine:
            found["before" if row["Role"] == "Before Recording" else row["Operator"]] += int(row["Size (bytes)"])
        check(found.pop("before", 0) == earlier, (path, "before the recording", earlier))
        check(found == by_operator, (path, found - by_operator, by_operator - found))
    answer = subprocess.run([SONDE, "why", "--all", path], capture_output=True, text=True, check=False).stdout
    check(not any(name in answer for name in SHORTAGES), (path, answer))
    print(f"{path.name}: {len(held)} rows agree")


def check_snapshot(path):
    usage, held = levels(path), table("memory_peak_sum", path)
    for device, (peak, in_use, reserved) in memory_peak.of_snapshot(path).items():
        row = usage[f"GPU {device}"]
        check(int(row["Peak (bytes)"]) == peak and int(row["Last (bytes)"]) == in_use, (path, row, peak, in_use))
        check(int(row["Peak Reserved (bytes)"]) >= reserved, (path, row, reserved))
        mine = [int(r["Size (bytes)"]) for r in held if r["GPU"] == f"GPU {device}"]
        check(sum(mine) == peak, (path, sum(mine), peak))
    print(f"{path.name}: {len(held)} rows agree")


def main():
    data = Path(os.environ.get("SONDE_TEST_DATA", ""))
    if not (data / "kineto").is_dir():
        print("skipped: SONDE_TEST_DATA names no folder with kineto/")
        sys.exit(SKIPPED)
    for name in TRACES:
        check_trace(data / "kineto" / f"{name}.json.gz")
    for path in sorted(Path(os.environ.get("SONDE_SNAPSHOTS", "/nowhere")).glob("*.pickle")):
        check_snapshot(path)


if __name__ == "__main__":
    main()
