#!/usr/bin/env python3
"""Runs the injected library under valgrind's memcheck. It cannot contain a sanitizer, because a sanitizer must be
loaded first in a program. Each way of recording runs a program to its end without an error."""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "shared"))
from _cuda import PROGRAM as CUDA_PROGRAM
from _cuda import environment
from _recorded import PATIENCE_S, SONDE, TOOLS, check

COMPLAINT = 99
SKIPPED = 77
# The library asks the kernel whether the caller's stack goes on at a place, whatever stands there.
SUPPRESSED = """{
  the_question_alone
  Memcheck:Param
  rt_sigprocmask(set)
  fun:syscall
  fun:is_readable
}
"""

RUNS = {
    "ranges and calls": (["-t", "nvtx,osrt"], [TOOLS / "c_program", "everything"]),
    "signal handlers": (["-t", "nvtx,osrt"], [TOOLS / "c_program", "handler"]),
    "libraries": (["-t", "cublas,cudnn,nccl,cusparse,cusolver"], [TOOLS / "library_program", "shapes"]),
    "timeline": (["-t", "cuda,nvtx", "--cuda-memory-usage", "--cudabacktrace=all:0"], [CUDA_PROGRAM, "memory", "3"]),
    "graphs": (["-t", "cuda", "--cuda-graph-trace=node"], [CUDA_PROGRAM, "graph", "3"]),
    "threads": (["-t", "cuda,nvtx,osrt"], [CUDA_PROGRAM, "threads", "3"]),
    "children": (["-t", "cuda,nvtx,osrt"], [CUDA_PROGRAM, "forks", "3"]),
    "kernel metrics": (["--metrics", "detailed"], [CUDA_PROGRAM, "plain", "3"]),
    "kernel samples": (["--set", "full"], [CUDA_PROGRAM, "plain", "4"]),
    "instruction counts": (["--set", "full", "--instruction-counts"], [CUDA_PROGRAM, "plain", "7"]),
    "GPU metrics": (["-t", "cuda", "--gpu-metrics-devices=all"], [CUDA_PROGRAM, "plain", "3"]),
}


def main():
    if shutil.which("valgrind") is None:
        print("skipped: there is no valgrind")
        sys.exit(SKIPPED)
    os.environ["SONDE_FAKE_CUBIN"] = str(CUDA_PROGRAM)  # code with source lines, of any machine
    with tempfile.TemporaryDirectory() as folder:
        suppressed = Path(folder) / "suppressed"
        suppressed.write_text(SUPPRESSED, encoding="utf-8")
        # What the loader took for an auditor is not free()'s, as which valgrind would give it back in the end.
        memcheck = ["valgrind", "-q", "--run-libc-freeres=no", f"--error-exitcode={COMPLAINT}",
                    f"--suppressions={suppressed}"]
        for name, (options, words) in RUNS.items():
            command = [SONDE, "record", "--self-test=false", "-f", "-o", Path(folder) / "run.sqlite", *options, "--",
                       *memcheck, *words]
            run = subprocess.run(list(map(str, command)), capture_output=True, text=True, check=False,
                                 timeout=PATIENCE_S, env=environment())
            check(run.returncode == 0 and "==" not in run.stderr, (name, run.returncode, run.stderr))
            check("nothing was recorded" not in run.stderr, (name, run.stderr))
            print(f"{name}: ok", flush=True)


if __name__ == "__main__":
    main()
