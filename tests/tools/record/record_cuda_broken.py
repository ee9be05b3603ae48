#!/usr/bin/env python3
"""Checks that errors of CUPTI are counted and reported, never counted as work. Without CUPTI, or without a driver, the
rest is recorded. The program notices nothing."""

import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "shared"))
from _cuda import LATEST, PROGRAM, VERSIONS, Cuda, accounts, alone, environment, record
from _recorded import PATIENCE_S, SONDE, check

KERNELS = 60  # of 30 steps: two kernels, two copies, a set
COPIES = 60
RANGES = {"step 0": 15, "step 1": 15, "forward": 30}


def recorded_with(folder, faults, version=LATEST, **settings):
    """(the profile, all that it says of itself)."""
    path = folder / f"{faults}-{version}-{settings.get('driver', True)}.sqlite"
    run = record(path, "plain", 30, version=version, faults=faults, **settings)
    check(run.returncode == 0 and ("error" in accounts(run)[0]) == (settings.get("driver") is False), (faults, run.stdout))
    recorded = Cuda(path)
    check(recorded.counts() == RANGES or settings.get("driver") is False, f"{faults}: the ranges {recorded.counts()}")
    return recorded, "\n".join(recorded.remarks())


def kernels_of(recorded):
    return sum(count for count, _ in recorded.kernels().values())


def check_told(text, *patterns):
    for pattern in patterns:
        check(re.search(pattern, text, re.IGNORECASE), f"nothing says {pattern}: {text}")


def bad_times(folder):
    """Start and end 0, or the end before the start."""
    for version in VERSIONS:
        recorded, text = recorded_with(folder, "zero_times=4", version)
        check(kernels_of(recorded) == KERNELS * 3 // 4, (version, recorded.kernels()))
        check_told(text, r"\b15\b[^\n]*time")
        recorded, text = recorded_with(folder, "reversed=5", version)
        check(kernels_of(recorded) == KERNELS * 4 // 5, (version, recorded.kernels()))
        check_told(text, r"\b12\b[^\n]*(before|end)")
    recorded, _ = recorded_with(folder, "")
    check(kernels_of(recorded) == KERNELS, "nothing is wrong without a fault")


def strange_records(folder):
    """Kinds that nobody knows are passed over; a record that cannot be read ends its buffer."""
    recorded, text = recorded_with(folder, "new_kinds=3")
    check(kernels_of(recorded) == KERNELS and sum(row[0] for row in recorded.copies().values()) == COPIES, recorded.kernels())
    delivered = int(re.search(r"CUPTI delivered (\d+) records", text)[1])
    check_told(text, rf"\b{delivered // 4} CUPTI records of an unknown kind")
    for faults in ("truncated", "odd_size", "bad_kinds=1"):
        recorded, text = recorded_with(folder, faults)
        check(kernels_of(recorded) >= KERNELS // 4, (faults, recorded.kernels()))
        check_told(text, r"read")
    recorded, text = recorded_with(folder, "empty_buffers")
    check(kernels_of(recorded) == KERNELS, recorded.kernels())


def no_names(folder):
    recorded, _ = recorded_with(folder, "null_names=3")
    ((unnamed,),) = recorded.rows("SELECT count(*) FROM CUPTI_ACTIVITY_KIND_KERNEL WHERE demangledName NOT IN (SELECT id FROM "
                                  "StringIds WHERE value LIKE '%gemm%' OR value LIKE '%vector_add%')")
    ((kernels,),) = recorded.rows("SELECT count(*) FROM CUPTI_ACTIVITY_KIND_KERNEL")
    check((kernels, unnamed) == (KERNELS, KERNELS // 3), (kernels, unnamed))


def missing(folder):
    """Launches whose kernels never arrive."""
    recorded, text = recorded_with(folder, "lost=6")
    check(kernels_of(recorded) == KERNELS * 5 // 6, recorded.kernels())
    check_told(text, rf"\b10 of {KERNELS}\b")
    recorded, text = recorded_with(folder, "no_kernels")
    check(kernels_of(recorded) == 0, recorded.kernels())
    check_told(text, rf"\b{KERNELS}\b[^\n]*(arriv|launch|kernel)|none of")
    _, text = recorded_with(folder, "dropped=10")
    check_told(text, r"CUPTI[^\n]*drop|drop[^\n]*CUPTI")


def refused(folder):
    """A call of CUPTI's that fails is named, with CUPTI's own words for why."""
    for faults, call, reason in (("subscribe_fails=39", "cuptiSubscribe", "MULTIPLE_SUBSCRIBERS"),
                                 ("register_fails=1", "cuptiActivityRegisterCallbacks", "INVALID_PARAMETER"),
                                 ("enable_fails=35", "cuptiActivityEnable", "INSUFFICIENT_PRIVILEGES")):
        recorded, text = recorded_with(folder, faults)
        check(kernels_of(recorded) == 0, recorded.kernels())
        check_told(text, f"{call}[^\n]*{reason}|{reason}[^\n]*{call}")
    _, text = recorded_with(folder, "flush_fails=999")
    check_told(text, "cuptiActivityFlushAll[^\n]*UNKNOWN|UNKNOWN[^\n]*cuptiActivityFlushAll",
               r"\b[1-9]\d* times CUPTI failed to flush its records")


def no_time(folder):
    """A CUPTI that asks us for the time needs not tell its own; one that does not is not placed by a guess."""
    recorded, text = recorded_with(folder, "timestamp_fails=15", "11.4")
    check(kernels_of(recorded) == 0, recorded.kernels())
    check_told(text, "cuptiGetTimestamp[^\n]*NOT_INITIALIZED")
    recorded, _ = recorded_with(folder, "timestamp_fails=15", "13.4")
    check(kernels_of(recorded) == KERNELS, recorded.kernels())


def children(process):
    return [int(child) for child in Path(f"/proc/{process}/task/{process}/children").read_text().split()]


def state_of(process):
    return Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()[0]


def runs_program(process):
    return Path(f"/proc/{process}/cmdline").read_bytes().split(b"\0")[0] == str(PROGRAM).encode()


def stuck(folder):
    """While the recorder stands still more comes than there is room for: CUPTI, which would end the program without a
    buffer, has one always, and how much was thrown away is told."""
    path = folder / "stuck.sqlite"
    recorder = subprocess.Popen([SONDE, "record", "--self-test=false", "-t", "cuda", "-o", path, "--", PROGRAM, "many",
                                 "800000"], env=environment("12.8"), stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                text=True)
    deadline = time.monotonic() + PATIENCE_S
    # Stopped earlier, between fork and exec, the recorder would never let the program begin.
    while not (program := children(recorder.pid)) or not runs_program(program[0]):
        check(time.monotonic() < deadline, "the program did not start")
        time.sleep(0.005)
    os.kill(recorder.pid, signal.SIGSTOP)
    while state_of(program[0]) != "Z" and time.monotonic() < deadline:
        time.sleep(0.02)
    os.kill(recorder.pid, signal.SIGCONT)
    out, text = recorder.communicate(timeout=PATIENCE_S)
    check(recorder.returncode == 0 and '"scale": [800000' in out, (recorder.returncode, out, text))
    check_told(text, r"CUDA records dropped because the recorder, or its thread")
    ((arrived,),) = Cuda(path).rows("SELECT count(*) FROM CUPTI_ACTIVITY_KIND_KERNEL")
    check(0 < arrived < 800000, arrived)


def without_cupti(folder):
    recorded, text = recorded_with(folder, "", version=None)
    check(kernels_of(recorded) == 0, recorded.kernels())
    check_told(text, "CUPTI")


def without_driver(folder):
    """A host without a GPU: the program says so itself."""
    recorded, text = recorded_with(folder, "", driver=False)
    check(kernels_of(recorded) == 0 and not recorded.api(), recorded.kernels())
    check_told(text, "no process used CUDA")


def other_client(folder):
    """Another library takes CUPTI's records: that is said, and the program is left alone."""
    run = record(folder / "client.sqlite", "client", 3)
    (account,) = accounts(run)
    check(run.returncode == 0 and account["kernels"] == accounts(alone("client", 3))[0]["kernels"], run.stderr)
    check("another library in the program receives CUPTI's records" in run.stderr, run.stderr)
    check(not Cuda(folder / "client.sqlite").kernels(), Cuda(folder / "client.sqlite").kernels())


def main():
    with tempfile.TemporaryDirectory() as name:
        for part in (bad_times, strange_records, no_names, missing, refused, no_time, stuck, without_cupti,
                     without_driver, other_client):
            print(f"{part.__name__}: {part(Path(name)) or 'ok'}", flush=True)


if __name__ == "__main__":
    main()
