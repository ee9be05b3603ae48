#!/usr/bin/env python3
"""Nothing that CUPTI does ends, blocks or changes the program that is recorded: each function that the recorder calls
throws, fails, comes back late or writes behind the structure that it got, at its first, second and last call and at each,
and the program writes what it writes alone and ends as alone. The same where a signal comes within such a call: the
program ends as its handler says.

    SONDE_FAULTS=5000 SONDE_FAULTS_SEED=2       so many, drawn by this seed; else 150
"""

import concurrent.futures
import os
import random
import re
import signal
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "shared"))
import _cuda
from _cuda import PROGRAM
from _recorded import PATIENCE_S, SONDE, check

FAULTS = int(os.environ.get("SONDE_FAULTS", "150"))
WAYS = {
    "timeline": (["-t", "cuda,nvtx"], ["plain", "3"]),
    "nodes": (["-t", "cuda,nvtx", "--cuda-graph-trace=node"], ["graph", "2"]),
    "range": (["-t", "cuda,nvtx", "-c", "cudaProfilerApi", "--capture-range-end=repeat"], ["profiler", "3"]),
    "managed": (["-t", "cuda", "--cuda-um-gpu-page-faults=true"], ["managed", "2"]),
    "metrics": (["--metrics", "sm__cycles_active.avg,dram__bytes_read.sum"], ["plain", "2"]),
    "full": (["--set", "full", "--instruction-counts"], ["plain", "7"]),
    "gpu_metrics": (["-t", "cuda", "--gpu-metrics-devices=all"], ["spaced", "2"]),
    "threads": (["-t", "cuda,nvtx"], ["threads", "2"]),
    "abort": (["-t", "cuda,nvtx"], ["abort", "2"]),
    "terminate": (["-t", "cuda,nvtx", "--gpu-metrics-devices=0"], ["terminate", "2"]),
    "leave": (["-t", "cuda,nvtx", "--gpu-metrics-devices=0"], ["leave", "2"]),
    "exec": (["-t", "cuda,nvtx"], ["exec", "2"]),
}
ERRORS = (1, 7, 8, 13, 15, 27, 35, 38, 40, 999)  # of CUptiResult, those that were seen and neighbours
# By what the program does on a signal: which, and how it ends. A shell's status.
SIGNALS = {
    "default": (signal.SIGTERM, 128 + signal.SIGTERM),
    "exit": (signal.SIGUSR1, 3),
    "_exit": (signal.SIGUSR1, 4),
    "abort": (signal.SIGUSR1, 128 + signal.SIGABRT),
    "exec": (signal.SIGUSR1, 0),
}
LATE_MS = 300
OVERRUN_BYTES = 128  # a choice: half of the room that the recorder leaves
STRUCTURES = re.compile("cupti(Profiler|PmSampling|RangeProfiler|SassMetrics|PCSampling|DeviceGetChipName|GetCubinCrc)")


def environment(runtime="shared", on_signal="", fault=""):
    host = _cuda.environment()
    faulty = _cuda.environment(f"faulty_{runtime}")["SONDE_CUPTI"]
    handled = {"CUDA_PROGRAM_ON_SIGUSR1": on_signal} if on_signal not in ("", "default") else {}
    return host | handled | {"SONDE_CUPTI": faulty, "SONDE_FAULTY_OF": host["SONDE_CUPTI"], "SONDE_FAULT": fault}


def said(run):
    """What the program wrote, without what no two runs share."""
    return re.sub(r'"(last_end|pid|is_listened)": \d+', "", run.stdout)


def run(command, **settings):
    return subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False, timeout=PATIENCE_S,
                          **settings)


def record(way, path, **settings):
    options, words = WAYS[way]
    command = [SONDE, "record", "--self-test=false", "-f", "-o", path, *options, "--", PROGRAM, *words]
    return run(command, env=environment(**settings))


def calls_of(way, folder):
    """{function: how often the recorder calls it}"""
    log = folder / f"{way}.calls"
    record(way, folder / f"{way}.sqlite", fault=f"log:{log}")
    return Counter(log.read_text().split())


def faults_of(way, folder):
    """(way, runtime, fault) for each function, kind of fault and call."""
    whats = ["throw", *(f"error={number}" for number in ERRORS), f"block={LATE_MS}"]
    for function, count in sorted(calls_of(way, folder).items()):
        overrun = [f"overrun={OVERRUN_BYTES}"] if STRUCTURES.match(function) else []
        for call in sorted({0, 1, 2, count} if count > 1 else {0, 1}):
            for what in whats + overrun:
                if call == 0 and what.startswith("block"):
                    continue  # a second late at each of a thousand calls says no more
                for runtime in ("shared", "static") if what == "throw" else ("shared",):
                    yield way, runtime, "", f"{function}:{what}:{call}"
            for on_signal, (number, _) in SIGNALS.items():
                if call > 0:
                    yield way, "shared", on_signal, f"{function}:signal={int(number)}:{call}"


def ended_by_signal(recorded, on_signal):
    """As its handler says; what it had written by then depends on the time."""
    is_executed = "executed" in recorded.stdout
    return recorded.returncode == SIGNALS[on_signal][1] and is_executed == (on_signal == "exec")


def try_fault(alone, folder, number, way, runtime, on_signal, fault):
    """What went wrong; None: nothing."""
    path = folder / f"{number}.sqlite"
    try:
        recorded = record(way, path, runtime=runtime, on_signal=on_signal, fault=fault)
    except subprocess.TimeoutExpired:
        return f"{way}, {runtime}, {on_signal}, {fault}: did not end"
    finally:
        path.unlink(missing_ok=True)
    status, text = alone[way]
    # Without its calls of cudaProfilerStart() there is nothing to record, which `sonde record` itself ends with.
    is_own = way == "range" and recorded.returncode == 1 and "no profile was written" in recorded.stderr
    if (recorded.returncode == status or is_own) and said(recorded) == text:
        return None
    if on_signal and (is_own or ended_by_signal(recorded, on_signal)):
        return None
    return (f"{way}, {runtime}, {on_signal}, {fault}: ended with {recorded.returncode}, not {status}; {recorded.stdout!r}; "
            f"{recorded.stderr[-600:]}")


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        alone = {}
        for way, (_, words) in WAYS.items():
            ended = run([PROGRAM, *words], env=environment())
            alone[way] = (ended.returncode if ended.returncode >= 0 else 128 - ended.returncode, said(ended))
        faults = [fault for way in WAYS for fault in faults_of(way, folder)]
        total = len(faults)
        random.Random(int(os.environ.get("SONDE_FAULTS_SEED", "1"))).shuffle(faults)
        chosen = (faults * (FAULTS // total + 1))[:FAULTS]
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count() or 1) as pool:
            wrong = list(filter(None, pool.map(lambda job: try_fault(alone, folder, job[0], *job[1]), enumerate(chosen))))
        for text in wrong[:20]:
            print(text)
        check(not wrong, f"{len(wrong)} of {len(chosen)} faults changed the program")
        print(f"{len(chosen)} faults of {total}: the program wrote and ended as alone each time")


if __name__ == "__main__":
    main()
