#!/usr/bin/env python3
"""`--last`: of a recording of any length only its end is kept."""

import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "shared"))
from _cuda import PROGRAM, Cuda, accounts, environment, record
from _recorded import PATIENCE_S, SONDE, check

LAST_S = 0.4
MILLISECOND = 1_000_000


def whole_steps(path):
    """The steps that are in the profile from begin to end, each with its two kernels."""
    recorded = Cuda(path)
    steps, kernels = recorded.steps(), recorded.launches()
    recorded.check_paced_steps(steps)
    check(all(0 <= launched and ended <= (LAST_S + 0.1) * 1000 * MILLISECOND for _, launched, ended in kernels), kernels[-1])
    return steps, recorded


def the_end(folder):
    """What is kept is the program's end, in whole; its name, thread and GPU are known although they were told long before."""
    path = folder / "end.sqlite"
    done = record(path, "paced", 900, options=["--last", str(LAST_S)])
    steps, recorded = whole_steps(path)
    account = accounts(done)[0]
    check(10 < len(steps) < 900, len(steps))
    last = max(end for _, _, end, *_ in recorded.work())
    off = recorded.clock_at_start() + last - account["last_end"]
    check(abs(off) < MILLISECOND, ("the program's last work is there", off))
    check("warning" not in done.stderr, done.stderr)
    check([name for (name,) in recorded.rows("SELECT name FROM PROCESSES")] == ["cuda_program"], "process")
    check(recorded.rows("SELECT name FROM TARGET_INFO_GPU WHERE id = 0") == [("Stand-in GPU",)], "GPU")
    check(list(folder.iterdir()) == [path], list(folder.iterdir()))


def little_is_kept(folder):
    """Two files at most, of which the older is of no more than twice the time; of a short recording all is kept."""
    path = folder / "kept.sqlite"
    command = [SONDE, "record", "-t", "cuda,nvtx", "--last", str(LAST_S), "-o", str(path), "--", PROGRAM, "paced", "1500"]
    most = 0
    with subprocess.Popen(command, env=environment(), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as recorder:
        until = time.monotonic() + PATIENCE_S
        while recorder.poll() is None and time.monotonic() < until:
            most = max(most, len(list(folder.glob("kept*.recording*"))))
            time.sleep(0.02)
        check(recorder.returncode == 0, recorder.returncode)
    check(most == 2, most)
    short = folder / "short.sqlite"
    done = record(short, "paced", 5, options=["--last", "60"])
    check(Cuda(short).kernels() == accounts(done)[0]["kernels"], done.stderr)


def main():
    for part in (the_end, little_is_kept):
        with tempfile.TemporaryDirectory() as name:
            print(f"{part.__name__}: {part(Path(name)) or 'ok'}", flush=True)


if __name__ == "__main__":
    main()
