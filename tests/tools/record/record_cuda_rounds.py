#!/usr/bin/env python3
"""Parts of a program's GPU work by command: each profile has its own kernels, and what was told before it began."""

import os
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "shared"))
from _cuda import ADD, PROGRAM, VERSIONS, Cuda, environment
from _recorded import check
from _session import Stepped, sonde

STEPPED = (PROGRAM, "stepped")


def launch(folder, *options):
    return Stepped(folder, "launch", "--self-test=false", "-t", "cuda,nvtx", *options, program=STEPPED)


def start(folder, *words):
    """Begins a round. CUPTI follows within some looks of its thread: what ran before that is in no profile."""
    sonde(folder, "start", *words)
    time.sleep(0.5)


def counts(recorded):
    return {name: count for name, (count, _) in recorded.kernels().items()}


def known(recorded):
    """What is told of the GPU, its contexts and streams once in a program's life."""
    tables = ("TARGET_INFO_GPU", "TARGET_INFO_CUDA_CONTEXT_INFO", "TARGET_INFO_CUDA_STREAM")
    return {table: recorded.rows(f"SELECT * FROM {table}") for table in tables}


def two_rounds(folder):
    """Work before, between and behind the rounds is in none of them."""
    for version in VERSIONS:
        os.environ.update(environment(version))
        program = launch(folder)
        program.step("3")
        for name, steps in (("first", 2), ("second", 5)):
            start(folder, "-f", "-o", name)
            program.step(steps)
            said = sonde(folder, "stop")
            check(f"recorded {2 * steps} kernels" in said and "warning" not in said, (version, said))
            program.step("3")
        program.end()
        first, second = (Cuda(folder / f"{name}.sqlite") for name in ("first", "second"))
        check(len(counts(first)) == 2 and ADD in counts(first), (version, counts(first)))
        check(set(counts(first).values()) == {2}, (version, counts(first)))
        check(counts(second) == {name: 5 for name in counts(first)}, (version, counts(second)))
        check(known(first) == known(second) and all(known(first).values()), (version, known(first), known(second)))
        for recorded, steps in ((first, 2), (second, 5)):
            check(sum(count for count, *_ in recorded.copies().values()) == 2 * steps, (version, recorded.copies()))
            check(recorded.api()["cudaLaunchKernel_v7000"] == 2 * steps, (version, recorded.api()))
            check(not any(name.startswith("kernel without") for name in counts(recorded)), counts(recorded))
            ((early,),) = recorded.rows("SELECT count(*) FROM CUPTI_ACTIVITY_KIND_KERNEL WHERE start < 0")
            check(early == 0, f"{version}: {early} kernels before the round")


def without_cuda(folder):
    """A round that leaves out what the program was launched for."""
    os.environ.update(environment())
    program = launch(folder)
    program.step("1")
    start(folder, "-o", "ranges", "-t", "nvtx")
    program.step("4")
    said = sonde(folder, "stop")
    program.end()
    recorded = Cuda(folder / "ranges.sqlite")
    check("CUDA" not in said and counts(recorded) == {} and recorded.counts()["forward"] == 4, (said, recorded.counts()))


def range_by_command(folder):
    """CUPTI, which came for a round by command, sees the profiler's calls that a later one waits for."""
    os.environ.update(environment())
    program = Stepped(folder, "launch", "--self-test=false", "-t", "cuda", program=(PROGRAM, "asked"))
    start(folder, "-o", "one")
    program.step("2")
    sonde(folder, "stop")
    start(folder, "-o", "two", "-c", "cudaProfilerApi", "--capture-range-end=repeat:2")
    for _ in range(3):
        program.step("3")
    program.end()
    check(set(counts(Cuda(folder / "one.sqlite")).values()) == {2}, counts(Cuda(folder / "one.sqlite")))
    for name in ("two.1", "two.2"):
        check(set(counts(Cuda(folder / f"{name}.sqlite")).values()) == {3}, counts(Cuda(folder / f"{name}.sqlite")))
    check(not (folder / "two.3.sqlite").exists(), "a third")


def ended_session(folder):
    """`sonde record` takes CUPTI out of the program behind its recording, and then nothing can be recorded."""
    os.environ.update(environment())
    program = Stepped(folder, "record", "--self-test=false", "-t", "cuda", "-o", "whole", program=STEPPED)
    program.step("2")
    sonde(folder, "stop")
    program.step("2")
    said = sonde(folder, "start", "-o", "late", code=1)
    check("shut down" in said, said)
    program.end()
    check(set(counts(Cuda(folder / "whole.sqlite")).values()) == {2}, counts(Cuda(folder / "whole.sqlite")))


def main():
    for part in (two_rounds, without_cuda, range_by_command, ended_session):
        with tempfile.TemporaryDirectory() as name:
            part(Path(name))
            print(f"{part.__name__}: ok", flush=True)


if __name__ == "__main__":
    main()
