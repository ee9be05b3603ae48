"""Compares a recording with PyTorch's own profiler. CUPTI serves only one of them in a process, so the same program
runs once under each, with the same seed."""

import json
import sys
from pathlib import Path

from _host import ROOT, SONDE, check, close, run, sonde_has

from _cuda import Cuda

STEP = Path(__file__).parent / "training_step.py"


def by_name(profile):
    return {name: [count, ns] for name, count, ns in profile.rows(
        "SELECT value, count(*), sum(end - start) FROM CUPTI_ACTIVITY_KIND_KERNEL JOIN StringIds ON id = demangledName "
        "GROUP BY value")}


def training_kernels(host):
    """As many kernels, and as long in all."""
    host.torch()
    theirs = json.loads(run([sys.executable, STEP, "--steps", 30, "--torch-profiler"]).stdout)["kernels"]
    path = host.file("training.sqlite")
    run([SONDE, "record", "-f", "-t", "cuda,nvtx", "-o", path, "--", sys.executable, STEP, "--steps", 30])
    ours = by_name(Cuda(path))
    count = sum(row[0] for row in ours.values()), sum(row[0] for row in theirs.values())
    check(count[0] == count[1], f"{count[0]} kernels, PyTorch's profiler has {count[1]}")
    close(sum(row[1] for row in ours.values()) / 1e3, sum(row[1] for row in theirs.values()), 0.05, "microseconds of kernels")
    return f"{count[0]} kernels"


def modules(host):
    """RT-DETR by its modules: backbone, encoder and decoder have GPU time."""
    host.torch()
    sonde_has("record", "--torch-modules")
    path = host.file("rtdetr.sqlite")
    run([SONDE, "record", "-f", "-t", "cuda,nvtx", "--torch-modules=true", "-o", path, "--", sys.executable,
         ROOT / "examples/rtdetr.py", "--steps", 10])
    table = run([SONDE, "modules", path]).stdout
    for part in ("backbone", "encoder", "decoder"):
        check(part in table, f"no {part} among the modules: {table[:2000]}")


PARTS = (training_kernels, modules)
