#!/usr/bin/env python3
"""Recordings of a program that uses CUDA on a host without a GPU, with NVIDIA's own driver and each CUPTI: the program
prints and ends as alone, however it ends, and the recorder says in plain words that there is no GPU."""

import concurrent.futures
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tools/shared"))
from _libraries import FOLDER, PROGRAM, RemovesDevice, find_drivers, find_libraries
from _recorded import PATIENCE_S, SONDE

# How the program ends, or what it does besides: see program.c.
ENDS = ("", "exit", "_exit", "abort", "kill", "thread", "fork", "twice", "stay", "runtime", "profiler")
# What is recorded, of a program that stays for a while: threads of the recorder meet the failed driver.
KINDS = {
    "timeline": ["-t", "cuda,nvtx,osrt"],
    "graph nodes": ["-t", "cuda", "--cuda-graph-trace=node"],
    "profiler range": ["-t", "cuda", "-c", "cudaProfilerApi"],
    "late": ["-t", "cuda", "-y", "1"],
    "page faults": ["-t", "cuda", "--cuda-um-cpu-page-faults=true", "--cuda-um-gpu-page-faults=true"],
    "memory": ["-t", "cuda", "--cuda-memory-usage=true"],
    "back traces": ["-t", "cuda", "--cudabacktrace=all"],
    "event times": ["-t", "cuda", "--cuda-event-trace=true"],
    "counters": ["--metrics", "sm__cycles_active.avg"],
    "full": ["--set", "full", "--instruction-counts"],
    "GPU metrics": ["-t", "cuda", "--gpu-metrics-devices=all"],
}
NO_PROFILE = {"profiler range"}  # it never begins
# What is said of the missing GPU; a CUPTI that cannot do what was asked for says that first.
NO_GPU = re.compile(r"sees no GPU \(cuInit returned 100|CUPTI .* has no cupti")
AT_ONCE = re.compile(r"ends by (_exit|abort|kill)$")  # then CUPTI's own answer is all that is known
NEWER = re.compile(r"libcupti\.so\.13\S* is for a newer CUDA than the driver's 12")
IS_NEWER_THERE = any(Path("/usr/local").glob("cuda*/lib64/libcupti.so.13*"))
UNSAID = {"ends by runtime"}  # the runtime library does not initialize a driver that is too old for it


def environment(driver, cupti=None, more=()):
    variables = dict(os.environ, LD_LIBRARY_PATH=":".join(map(str, [driver, *more])))
    variables.pop("SONDE_CUPTI", None)
    if cupti is not None:
        variables["SONDE_CUPTI"] = str(cupti)
    return variables


def run(command, variables):
    ended = subprocess.run([str(word) for word in command], env=variables, capture_output=True, text=True, check=False,
                           stdin=subprocess.DEVNULL, timeout=PATIENCE_S)
    return 128 - ended.returncode if ended.returncode < 0 else ended.returncode, ended.stdout, ended.stderr


def record(options, end, variables):
    with tempfile.TemporaryDirectory() as folder:
        profile = Path(folder, "x.sqlite")
        command = [SONDE, "record", "--self-test=false", "-o", profile, *options, "--", PROGRAM, end]
        return *run(command, variables), profile.exists()


def compare(job):
    """(what, messages, what is wrong or None)"""
    what, options, end, variables = job
    alone = run([PROGRAM, end], variables)
    status, said, errors, has_profile = record(options, end, variables)
    messages = [line.removeprefix("sonde: ") for line in errors.splitlines() if line.startswith("sonde: ")]
    of_program = [line for line in errors.splitlines() if not line.startswith("sonde: ")]
    is_kept = any(what.endswith(kind) for kind in NO_PROFILE)
    if (status, said) != alone[:2] and not (is_kept and status == 1 and said == alone[1]):
        return what, messages, f"ended with {status} and {said!r}, alone {alone[:2]}; {errors}"
    if of_program != alone[2].splitlines():
        return what, messages, f"wrote {of_program}, alone {alone[2].splitlines()}"
    if has_profile == is_kept:
        return what, messages, f"profile: {has_profile}; {errors}"
    if IS_NEWER_THERE and what.startswith("no CUPTI named") and not NEWER.search(errors):
        return what, messages, "says nothing of the newer CUPTI that is there"
    if AT_ONCE.search(what) and "cuptiSubscribe()" in errors:
        return what, messages, None
    if "SONDE_CUPTI" in variables and not any(what.endswith(kind) for kind in UNSAID) and not NO_GPU.search(errors):
        return what, messages, "says nothing of the missing GPU"
    return what, messages, None


def jobs(libraries, drivers):
    newest = list(drivers.values())[-1]
    for name, cupti in libraries.items():
        for end in ENDS:
            yield f"CUPTI {name}, ends by {end or 'return'}", [], end, environment(newest, cupti)
        for kind, options in KINDS.items():
            yield f"CUPTI {name}, {kind}", options, "stay", environment(newest, cupti)
    for number, driver in drivers.items():
        yield f"no CUPTI named, driver {number}", [], "exit", environment(driver)
        yield f"CUPTI on the path, driver {number}", [], "exit", environment(driver, more=[FOLDER / "12.4"])


def main():
    libraries, drivers = find_libraries(), find_drivers()
    with RemovesDevice(), concurrent.futures.ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        results = list(pool.map(compare, jobs(libraries, drivers)))
    for what, messages, wrong in results:
        print(f"{what}: {wrong or 'same'}")
        print("".join(f"    {line}\n" for line in messages), end="")
    sys.exit(1 if any(wrong for _, _, wrong in results) else 0)


if __name__ == "__main__":
    main()
