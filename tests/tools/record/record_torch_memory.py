#!/usr/bin/env python3
"""Checks `sonde record --torch-memory` with a stand-in for PyTorch whose allocations are known: what is in the profile, by
module and with stacks, at the end of a program and where it runs out of memory; and that the program runs the same."""

import csv
import io
import os
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "shared"))
from _recorded import PATIENCE_S, SONDE, Recorded, check

PROGRAM = Path(__file__).resolve().parents[1] / "programs/recorded/torch_memory_program.py"
MIB = 1 << 20


def run(folder, outcome, version="2.1"):
    """(finished process alone, finished process under Sonde, the profile)"""
    path = folder / f"{outcome}-{version}.sqlite"
    words = [sys.executable, str(PROGRAM), outcome]
    settings = dict(env={**os.environ, "STAND_IN_TORCH": version}, capture_output=True, text=True, check=False,
                    timeout=PATIENCE_S)
    alone = subprocess.run(words, **settings)
    under = subprocess.run([SONDE, "record", "--torch-memory", "-t", "nvtx", "-o", path, "--", *words], **settings)
    check((alone.returncode, alone.stdout) == (under.returncode, under.stdout), (alone, under))
    return alone, under, path


def table(report, path):
    out = subprocess.run([SONDE, "stats", "-q", "-f", "csv", "-r", report, path], check=True, capture_output=True, text=True)
    return list(csv.DictReader(io.StringIO(out.stdout)))


def by_module(path):
    sizes = Counter()
    for row in table("memory_peak_sum", path):
        sizes[row["Module"] or row["Role"]] += int(row["Size (bytes)"])
    return sizes


def whole_run(folder, version):
    _, under, path = run(folder, "ends", version)
    sizes = by_module(path)
    # The first allocation came before the history: the stand-in initializes CUDA late.
    check(sizes == {"Before Recording": 4 * MIB, "net.first": 2 * MIB, "net.second": 4 * MIB}, (version, sizes, under.stderr))
    rows = table("memory_peak_sum", path)
    check(any(row["Call Stack"].startswith("forward (torch_memory_program.py:") and "main (" in row["Call Stack"]
              for row in rows), rows)
    check(not any("modules.py" in row["Call Stack"] for row in rows), rows)
    usage = table("memory_usage_sum", path)
    check([row["Peak (bytes)"] for row in usage] == [str(10 * MIB)], usage)
    check([row["Last (bytes)"] for row in usage] == [str(5 * MIB)], usage)
    check(len(Recorded(path).rows("SELECT pid FROM SONDE_TORCH_MEMORY")) == 1, "one process")
    check(not list(folder.glob(".sonde-torch-memory-*")) and not list(folder.glob("*-wal")), list(folder.iterdir()))


def out_of_memory(folder):
    _, under, path = run(folder, "oom")
    check("CUDA out of memory" in under.stderr, under.stderr)
    why = subprocess.run([SONDE, "why", path], capture_output=True, text=True, check=False).stdout
    check("out_of_memory_too_large" in why and "net.second" in why, why)


def forks(folder):
    """A child that has CUDA of its own has a history of its own."""
    _, under, path = run(folder, "forks")
    check(len(Recorded(path).rows("SELECT pid FROM SONDE_TORCH_MEMORY")) == 2, under.stderr)


def nothing_arrives(folder):
    path = folder / "none.sqlite"
    under = subprocess.run([SONDE, "record", "--torch-memory", "-t", "nvtx", "-o", path, "--", "true"], capture_output=True,
                           text=True, check=False, timeout=PATIENCE_S)
    check("no memory snapshot of PyTorch arrived" in under.stderr, under.stderr)


def not_counted_twice(folder):
    refused = subprocess.run([SONDE, "record", "--torch-memory", "--cuda-memory-usage", "-o", folder / "twice.sqlite", "--",
                              "true"], capture_output=True, text=True, check=False, timeout=PATIENCE_S)
    check(refused.returncode == 2 and "count the same memory twice" in refused.stderr, refused)


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for version in ("2.1", "2.0"):
            whole_run(folder, version)
        out_of_memory(folder)
        forks(folder)
        nothing_arrives(folder)
        not_counted_twice(folder)
    print("ok")


if __name__ == "__main__":
    main()
