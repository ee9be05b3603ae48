#!/usr/bin/env python3
"""Runs `./dev gpu-test` on a host without a GPU: each part prints why it was skipped, and the command succeeds. Its
program compiles if a compiler for it exists."""

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

GPU_TESTS = Path(__file__).resolve().parents[2] / "gpu"
PARTS = 20

sys.path.insert(0, str(GPU_TESTS))
import _host
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "shared"))
from _recorded import check


def has_gpu():
    try:
        return _host.gpus() > 0
    except _host.Missing:
        return False


def compiles():
    try:
        compiler = _host.tool("nvcc", *_host.NVCC_PLACES)
    except _host.Missing as missing:
        return f"skipped: {missing}"
    with tempfile.TemporaryDirectory() as folder:
        for source in ("gpu_program", "hot_line"):
            words = [compiler, "-std=c++17", "-c", "-o", f"{folder}/{source}.o", GPU_TESTS / f"{source}.cu"]
            done = subprocess.run(words, capture_output=True, text=True, check=False)
            check(done.returncode == 0, done.stderr)
    return "ok"


def skips():
    run = subprocess.run([sys.executable, "-B", GPU_TESTS / "run.py"], capture_output=True, text=True, check=False,
                         env=dict(os.environ))
    lines = run.stdout.splitlines()
    skipped = [line for line in lines if re.match(r"\w+\.\w+: skipped: .+ \(\d+\.\d s\)$", line)]
    check(run.returncode == 0 and len(skipped) == PARTS, (run.returncode, run.stdout, run.stderr))
    check(lines[-2:] == [f"gpu-test: 0 ok, {PARTS} skipped, 0 failed",
                         "gpu-test: skipped: this host has nothing to run it on"], run.stdout)
    return "ok"


def tells_failures():
    """A part that finds something wrong is no part that was skipped."""
    import run  # pylint: disable=import-outside-toplevel
    found = [run.attempt(part, None)[0] for part in (lambda _: "seen", lambda _: _host.check(1 == 2, "1 is not 2"),
                                                     lambda _: _host.close(1.0, 1.03, 0.02, "a time"),
                                                     lambda _: _host.close(1.0, 1.01, 0.02, "a time"),
                                                     lambda _: _host.tool("no-such-tool"))]
    check(found == ["ok", "FAILED", "FAILED", "ok", "skipped"], found)
    return "ok"


if has_gpu():
    print("skipped: this host has a GPU: ./dev gpu-test")
    sys.exit(77)
print(f"the GPU program compiles: {compiles()}")
print(f"every part is skipped with its reason: {skips()}")
print(f"what fails is told: {tells_failures()}")
