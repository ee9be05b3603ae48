#!/usr/bin/env python3
"""The nsys-like reports of a PyTorch profiler trace, computed from its JSON with exact decimal times.

usage: pytorch_json.py FILE.json[.gz] REPORT

Annotations are ranges of the default domain, operators of "torch.operator", modules of "torch.module", other Python
functions of "torch.python". Sizes that a trace does not give are left out of the size report, not counted as 0.
"""

import gzip
import json
import sys
from decimal import Decimal

import occupancy
import tables
from nsys_database import COPY_KINDS
from tables import grouped

KERNELS, COPIES, SETS = {"kernel", "Kernel"}, {"gpu_memcpy", "Memcpy"}, {"gpu_memset", "Memset"}
CALLS = {"cuda_runtime", "cuda_driver", "Runtime"}
OPERATORS = {"cpu_op", "Operator"}
COPY_WORDS = {"".join(word[0] if word != "to" else "to" for word in name.split("-")): name
              for kind, name in COPY_KINDS.items() if kind <= 10}


class Event:
    """A complete event of the trace, times in whole ns."""

    def __init__(self, entry):
        self.category, self.name, self.arguments = entry["cat"], entry["name"], entry.get("args", {})
        self.pid, self.tid = entry.get("pid"), entry.get("tid")
        self.start = nanoseconds(entry["ts"])
        self.duration = nanoseconds(entry.get("dur", 0))
        self.end = self.start + self.duration


def nanoseconds(microseconds):
    """Exact: the traces give at most three decimals of a microsecond."""
    value = Decimal(microseconds) * 1000
    if value != value.to_integral_value():
        raise ValueError(f"{microseconds} us is not a whole number of ns")
    return int(value)


def open_trace(path):
    """The complete events of the categories that the reports are about."""
    opener = gzip.open if str(path).endswith(".gz") else open
    with opener(path, "rb") as file:
        document = json.loads(file.read(), strict=False, parse_float=Decimal)
    entries = document["traceEvents"] if isinstance(document, dict) else document
    wanted = KERNELS | COPIES | SETS | CALLS | OPERATORS | {"user_annotation", "python_function"}
    events = [Event(entry) for entry in entries if entry.get("ph") == "X" and entry.get("cat") in wanted]
    properties = document.get("deviceProperties", []) if isinstance(document, dict) else []
    gpus = {device["id"]: gpu_of(device) for device in properties}
    for event in of(events, KERNELS):
        event.gpu = gpus.get(event.arguments.get("device"))
    return events


def gpu_of(device):
    warp_size = device.get("warpSize") or 32
    threads = device.get("maxThreadsPerMultiprocessor")
    shared = device.get("maxSharedMemoryPerMultiProcessor", device.get("sharedMemPerMultiprocessor"))
    return occupancy.gpu_of(device.get("computeMajor"), device.get("computeMinor"), device.get("numSms"),
                            threads and threads // warp_size, None, device.get("regsPerMultiprocessor"), shared,
                            device.get("sharedMemPerBlockOptin"), device.get("maxThreadsPerBlock"), warp_size)


def of(events, categories):
    return [event for event in events if event.category in categories]


def operation(event):
    """Kineto's `Memcpy HtoD (Pageable -> Device)` in the words of nsys."""
    if event.category in SETS:
        return "[CUDA memset]"
    words = event.name.split()
    return f"[CUDA memcpy {COPY_WORDS.get(words[1] if len(words) > 1 else '', 'Unknown')}]"


def times(pairs):
    return grouped((key, event.duration) for key, event in pairs)


def cuda_gpu_kern_sum(events):
    return tables.time_summary(times(((e.name,), e) for e in of(events, KERNELS)), "Instances", ["Name"])


def size_text(event, name):
    size = event.arguments.get(name)
    return tables.dimensions(*map(int, size)) if size else ""


def cuda_gpu_kern_gb_sum(events):
    groups = times(((size_text(e, "grid"), size_text(e, "block"), e.name), e) for e in of(events, KERNELS))
    return tables.time_summary(groups, "Instances", ["GridXYZ", "BlockXYZ", "Name"])


def cuda_gpu_kern_occ_sum(events):
    def launch(e):
        grid, block = (tuple(map(int, e.arguments[name])) if e.arguments.get(name) else None for name in ("grid", "block"))
        registers, shared = (e.arguments.get(name) for name in ("registers per thread", "shared memory"))
        return occupancy.Launch(e.name, grid, block, registers, shared, None, None, e.gpu)

    return occupancy.report((launch(e), e.duration) for e in of(events, KERNELS))


def cuda_gpu_mem_time_sum(events):
    return tables.time_summary(times(((operation(e),), e) for e in of(events, COPIES | SETS)), "Count", ["Operation"])


def cuda_gpu_mem_size_sum(events):
    sized = [e for e in of(events, COPIES | SETS) if "bytes" in e.arguments]
    return tables.size_summary(grouped(((operation(e),), int(e.arguments["bytes"])) for e in sized))


def gpu_work(events):
    kernels = [(("CUDA_KERNEL", e.name), e) for e in of(events, KERNELS)]
    return kernels + [(("MEMORY_OPER", operation(e)), e) for e in of(events, COPIES | SETS)]


def cuda_gpu_sum(events):
    return tables.time_summary(times(gpu_work(events)), "Instances", ["Category", "Operation"])


def cuda_api_sum(events):
    return tables.time_summary(times(((e.name,), e) for e in of(events, CALLS)), "Num Calls", ["Name"])


def cuda_api_gpu_sum(events):
    calls = [(("CUDA_API", e.name), e) for e in of(events, CALLS)]
    return tables.time_summary(times(calls + gpu_work(events)), "Instances", ["Category", "Operation"])


def range_name(event):
    if event.category in OPERATORS:
        return f"torch.operator:{event.name}"
    if event.category == "user_annotation":
        return f":{event.name}"
    return f"{'torch.module' if event.name.startswith('nn.Module: ') else 'torch.python'}:{event.name}"


def ranges(events):
    return of(events, OPERATORS | {"user_annotation", "python_function"})


def nvtx_sum(events):
    groups = times((("PushPop", range_name(e)), e) for e in ranges(events))
    return tables.time_summary(groups, "Instances", ["Style", "Range"])


def nvtx_pushpop_sum(events):
    return tables.time_summary(times(((range_name(e),), e) for e in ranges(events)), "Instances", ["Range"])


REPORTS = [cuda_api_gpu_sum, cuda_api_sum, cuda_gpu_kern_gb_sum, cuda_gpu_kern_occ_sum, cuda_gpu_kern_sum,
           cuda_gpu_mem_size_sum, cuda_gpu_mem_time_sum, cuda_gpu_sum, nvtx_pushpop_sum, nvtx_sum]
BY_NAME = {report.__name__: report for report in REPORTS}


def compute(events, report):
    return BY_NAME[report](events)


def main(arguments):
    if len(arguments) != 2 or arguments[1] not in BY_NAME:
        sys.exit(f"{__doc__}\nreports: {' '.join(BY_NAME)}")
    sys.stdout.write(tables.to_csv(compute(open_trace(arguments[0]), arguments[1])))


if __name__ == "__main__":
    main(sys.argv[1:])
