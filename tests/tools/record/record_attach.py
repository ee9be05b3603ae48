#!/usr/bin/env python3
"""A recorder comes to a program that runs: `sonde record --pid`, and `sonde launch --pid` for several recordings."""

import functools
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "shared"))
from _cuda import PROGRAM, Cuda, alone, environment
from _recorded import PATIENCE_S, SONDE, check

LIBRARY = Path(SONDE).with_name("libsonde_inject.so")
STEPS = 1000
LATE_NS = 1_000_000_000  # on a busy machine; a look takes the recorder's thread 20 ms


def start(steps=STEPS, injected=True):
    """A program that is not recorded, but may be."""
    variables = {"CUDA_INJECTION64_PATH": str(LIBRARY), "NVTX_INJECTION64_PATH": str(LIBRARY)} if injected else {}
    return subprocess.Popen([PROGRAM, "paced", str(steps)], stdout=subprocess.PIPE, text=True, env=environment() | variables)


def sonde(*words):
    return subprocess.run([SONDE, *map(str, words)], capture_output=True, text=True, timeout=PATIENCE_S, check=False)


def has_come(program):
    """Until the program uses CUDA: the library listens then."""
    until = time.monotonic() + PATIENCE_S
    while f"@sonde-recorder-of-{program.pid}" not in Path("/proc/net/unix").read_text(encoding="utf-8"):
        check(time.monotonic() < until and program.poll() is None, "the program waits for a recorder")
        time.sleep(0.01)


@functools.cache
def expected(steps):
    return json.loads(alone("paced", steps).stdout)


def same_end(program, steps=STEPS):
    """The program's output and exit code are those without a recorder."""
    said, _ = program.communicate(timeout=PATIENCE_S)
    found = json.loads(said)
    check(program.returncode == 0 and all(found[key] == expected(steps)[key] for key in ("kernels", "copies", "sets")),
          (program.returncode, said))


def check_steps(path, least):
    """Each whole step has its two kernels and nothing is twice; they lie on the GPU that the driver names. Ranges are
    recorded from the first moment on, CUDA as soon as CUPTI is ready."""
    recorded = Cuda(path)
    first_launch = recorded.launches()[0][1]
    steps = recorded.steps()
    late = [step for step in steps if step[1] < first_launch and step[2] < first_launch]
    check(not late or late[-1][2] < LATE_NS, (path, late))
    whole = [step for step in steps if step[1] > first_launch]
    check(len(whole) >= least, (path, len(whole)))
    recorded.check_paced_steps(whole)
    check(recorded.rows("SELECT name FROM TARGET_INFO_GPU WHERE id = 0") == [("Stand-in GPU 0",)], "the driver tells the GPU")
    names = [name for name, _, _, _ in steps]  # "step 0" and "step 1" in turn
    check(all(name != after for name, after in zip(names, names[1:])), names)


def for_a_time(folder):
    """The recorder leaves when its time is over, and the program goes on; it takes no second one."""
    program = start()
    has_come(program)
    time.sleep(0.1)
    done = sonde("record", "--pid", program.pid, "-d", "0.5", "-o", folder / "time")
    check(done.returncode == 0 and program.poll() is None, done.stderr)
    check("process" not in done.stderr.split("profile written")[1], done.stderr)
    again = sonde("record", "--pid", program.pid, "-o", folder / "again")
    check(again.returncode == 1 and "it was recorded already" in again.stderr, again.stderr)
    check(not (folder / "again.sqlite").exists(), "nothing is left of a refused recording")
    check_steps(folder / "time.sqlite", 10)
    same_end(program)


def until_it_ends(folder):
    """A program that ends is recorded to its end."""
    program = start(200)
    has_come(program)
    done = sonde("record", "--pid", program.pid, "-o", folder / "end")
    check(done.returncode == 0, done.stderr)
    check_steps(folder / "end.sqlite", 50)
    same_end(program, 200)


def until_told(folder):
    """Ctrl-C ends the recording, not the program."""
    program = start()
    has_come(program)
    with subprocess.Popen([SONDE, "record", "--pid", str(program.pid), "-o", str(folder / "told")], stderr=subprocess.PIPE,
                          text=True) as recorder:
        time.sleep(0.6)
        recorder.send_signal(signal.SIGINT)
        _, said = recorder.communicate(timeout=PATIENCE_S)
        check(recorder.returncode == 0 and program.poll() is None, (recorder.returncode, said))
    check_steps(folder / "told.sqlite", 5)
    same_end(program)


def on_demand(folder):
    """Recordings one after the other, in one session."""
    program = start(2 * STEPS)
    has_come(program)
    name = f"attached-{program.pid}"
    with subprocess.Popen([SONDE, "launch", "--session-new", name, "--pid", str(program.pid)]) as launched:
        until = time.monotonic() + PATIENCE_S
        while sonde("status", "--session", name).returncode != 0:
            check(time.monotonic() < until, "the session is there")
            time.sleep(0.02)
        for number in range(2):
            path = folder / f"demand{number}.sqlite"
            check(sonde("start", "--session", name, "-o", path).returncode == 0, "started")
            time.sleep(0.3)
            stopped = sonde("stop", "--session", name)
            check(stopped.returncode == 0, stopped.stderr)
            check_steps(path, 5)
        check(sonde("shutdown", "--session", name, "--kill", "none").returncode == 0, "shut down")
        launched.wait(timeout=PATIENCE_S)
        check(program.poll() is None, "the program goes on")
    same_end(program, 2 * STEPS)


def refused(folder):
    """Each reason is said, with what can be done."""
    program = start(injected=False)
    wrong = [
        (["--pid", program.pid], f"CUDA_INJECTION64_PATH={LIBRARY}"),
        (["--pid", 2**22 + 1], "no process has the ID"),
        (["--pid", os.getpid(), "--", "true"], "leave the program out"),
        (["--pid", program.pid, "--metrics", "sm__cycles_active.avg"], "--metrics does not work with --pid"),
        (["--pid", program.pid, "--torch-modules"], "--torch-modules does not work with --pid"),
        (["--pid", program.pid, "--torch-memory"], "--torch-memory does not work with --pid"),
        (["--pid", program.pid, "-s", "process-tree"], "does not work with --pid"),
        (["--pid", program.pid, "-t", "cuda,cublas"], "-t cublas does not work with --pid"),
    ]
    for words, why in wrong:
        done = sonde("record", "-o", folder / "refused", *words)
        check(done.returncode != 0 and why in done.stderr, (words, done.stderr))
    check(not list(folder.glob("refused*")), list(folder.glob("refused*")))
    same_end(program)


def main():
    with tempfile.TemporaryDirectory() as name:
        for part in (for_a_time, until_it_ends, until_told, on_demand, refused):
            print(f"{part.__name__}: {part(Path(name)) or 'ok'}", flush=True)


if __name__ == "__main__":
    main()
