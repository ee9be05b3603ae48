#!/usr/bin/env python3
"""Checks that the definitions that a recorder keeps for later rounds do not grow if they are sent repeatedly. The test
counts them in the file of a round that has just begun."""

import os
import struct
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "shared"))
from _cuda import PROGRAM, Cuda, environment
from _recorded import check
from _session import Stepped, sonde, wait_until

# Kinds of wire/record.h.
CUDA_TALLY, SAMPLED_GPU, SAMPLED_METRIC, GPU_CLOCK, SAMPLING_TALLY = 36, 91, 92, 94, 95
OPTIONS = ("--self-test=false", "-t", "cuda", "--cuda-flush-interval", "20", "--gpu-metrics-devices=all",
           "--gpu-metrics-frequency", "50000")
GPUS = 2
METRICS = 14  # of the set's, without NVLink's two


def records(spool):
    """(kind, time) of each record of programs, and when the round began."""
    data = spool.read_bytes()
    begin, at, found = struct.unpack_from("<q", data, 16)[0], 40, []
    while at + 16 <= len(data):
        _, _, size, mark = struct.unpack_from("<IIII", data, at)
        record, at = at + 16, at + 16 + size
        while mark == 0x43494C53 and record + 16 <= at <= len(data):
            kind, length, _, _, written = struct.unpack_from("<HHHHq", data, record)
            found.append((kind, written))
            record += length
    return begin, found


def kept(folder, name):
    """{kind: count} of what was told before the round of that name began, which is ended."""
    (spool,) = folder.glob(f"{name}.sqlite.recording-*")
    wait_until(lambda: any(kind == SAMPLED_GPU for kind, _ in records(spool)[1]), "what is kept")
    begin, found = records(spool)
    return Counter(kind for kind, written in found if written < begin)


def sampled(folder, seconds):
    """A round of so long, and what is kept for the next one."""
    program = Stepped(folder, "launch", *OPTIONS, program=(PROGRAM, "stepped"))
    sonde(folder, "start", "-o", "first")
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        program.step("1")
    sonde(folder, "stop")
    sonde(folder, "start", "-o", "second")
    found = kept(folder, "second")
    program.step("5")
    time.sleep(0.5)
    sonde(folder, "stop")
    program.end()
    return found


def main():
    os.environ.update(environment())
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        found = sampled(folder, 2)
        check(found[GPU_CLOCK] <= 64 * GPUS and found[SAMPLING_TALLY] == GPUS and found[CUDA_TALLY] == 1, found)
        check(found[SAMPLED_GPU] == GPUS and found[SAMPLED_METRIC] == GPUS * METRICS, found)
        second = Cuda(folder / "second.sqlite")
        ((values, gpus),) = second.rows("SELECT count(*), count(DISTINCT typeId) FROM GPU_METRICS")
        check(values > 0 and gpus == GPUS and second.kernels(), (values, gpus, second.kernels()))
        print(f"kept of {sum(found.values())} records: ok")


if __name__ == "__main__":
    main()
