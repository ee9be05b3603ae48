#!/usr/bin/env python3
"""Computing, communication and idle time of each GPU, from the raw rows of an nsys export or the events of a PyTorch trace:
what `sonde stats -r communication_sum` is checked against.

usage: communication.py FILE...

Two sets of definitions over one sweep. `sonde`: those of src/analyses/gpus/communication.h. `analysis`: those of Holistic Trace
Analysis and TraceLens, which tell communication by "nccl" in the kernel's name, and count copies from GPU to GPU and sets
as memory operations:
    idle, compute, non-compute   parts of the time from the first GPU operation to the last; compute where both run
    overlap                      time of both / time of communication
    exposed_comm, exposed_memcpy TraceLens: what is left of communication, then of memory operations
Also Holistic Trace Analysis' idle breakdown of each stream: a gap behind which the next operation's launch began only after
the operation before had ended is host wait, one below 30 ns kernel wait, any other other.
"""

import json
import pathlib
import re
import sys
from collections import Counter, defaultdict, namedtuple

from nsys_database import open_database
from pytorch_json import CALLS, COPIES, KERNELS, SETS, of, open_trace

Operation = namedtuple("Operation", "place stream start end kind name launch")  # kind: kernel, graph, copy, set
CONSECUTIVE_NS = 30


def communication_rows():
    path = pathlib.Path(__file__).resolve().parents[2] / "src/analyses/gpus/communication_kernels.inc"
    return re.findall(r'^SONDE_COMMUNICATION_KERNEL\("([^"]*)", "([^"]*)"', path.read_text(), re.M)


def from_nsys(path):
    db = open_database(path)
    launches = dict(((process, correlation), start) for process, correlation, start in
                    db.execute("SELECT process, correlation, start FROM api ORDER BY start DESC"))
    found = []
    for table, kind, name in (("kernel", "kernel", "demangled"), ("copy", "copy", "name"), ("memset", "set", "name"),
                              ("graph", "graph", "'graph'")):
        for process, device, stream, start, end, correlation, text in db.execute(
                f"SELECT process, device, stream, start, end, correlation, {name} FROM {table}"):
            found.append(Operation((process if device is None else 0, device), (process, stream), start, end, kind, text,
                                   launches.get((process, correlation))))
    return found


def from_pytorch(path):
    events = open_trace(path)
    launches = {e.arguments["correlation"]: e.start for e in of(events, CALLS) if "correlation" in e.arguments}
    return [Operation((0, e.arguments.get("device", e.pid)), e.arguments.get("stream", e.tid), e.start, e.end, kind, e.name,
                      launches.get(e.arguments.get("correlation")))
            for kind, categories in (("kernel", KERNELS), ("copy", COPIES), ("set", SETS)) for e in of(events, categories)]


def operations_of(path):
    return from_nsys(path) if str(path).endswith(".sqlite") else from_pytorch(path)


def class_of_sonde(op, rows=communication_rows()):
    if op.kind == "kernel":
        return "comm" if any(a in op.name and b in op.name for a, b in rows) else "compute"
    if op.kind == "graph":
        return "compute"
    peer = op.kind == "copy" and ("Peer-to-Peer" in op.name or "PtoP" in op.name)
    return "comm" if peer else "memory"


def class_of_analysis(op):
    if op.kind in ("kernel", "graph"):
        return "comm" if "nccl" in op.name.lower() else "compute"
    return "memory"


def swept(operations, class_of):
    """Nanoseconds by the set of classes that run at once."""
    borders = []
    for op in operations:
        borders += [(op.start, 1, class_of(op)), (max(op.start, op.end), -1, class_of(op))]
    running, at, sums = Counter(), min(b[0] for b in borders), Counter()
    for time, step, kind in sorted(borders, key=lambda b: b[0]):
        sums[frozenset(k for k, n in running.items() if n)] += time - at
        at = time
        running[kind] += step
    return sums


def breakdown(operations, class_of):
    sums = swept(operations, class_of)
    part = lambda holds: sum(ns for kinds, ns in sums.items() if holds(kinds))
    return {
        "Total Time (ns)": sum(sums.values()),
        "Idle Time (ns)": sums[frozenset()],
        "Compute Time (ns)": part(lambda k: "compute" in k),
        "Exposed Comm (ns)": part(lambda k: "comm" in k and "compute" not in k),
        "Exposed Copies (ns)": part(lambda k: k == {"memory"}),
        "Comm Time (ns)": part(lambda k: "comm" in k),
        "overlap": part(lambda k: {"comm", "compute"} <= k),
        "non_compute": part(lambda k: k and "compute" not in k),
    }


def idle_breakdown(operations):
    """Holistic Trace Analysis' reasons for the gaps of each stream, summed."""
    sums = Counter()
    streams = defaultdict(list)
    for op in operations:
        streams[op.place, op.stream].append(op)
    for stream in streams.values():
        stream.sort(key=lambda op: op.start)
        for before, op in zip(stream, stream[1:]):
            gap = op.start - before.end
            if op.launch is None:
                continue
            if op.launch > before.end:
                sums["host_wait"] += gap
            else:
                sums["kernel_wait" if gap < CONSECUTIVE_NS else "other"] += gap
    return dict(sums)


def breakdowns(path, class_of=class_of_sonde):
    """Each GPU's, by (process where the file names no device, device)."""
    places = defaultdict(list)
    for op in operations_of(path):
        places[op.place].append(op)
    return {place: breakdown(operations, class_of) for place, operations in sorted(places.items(), key=str)}


def main(paths):
    for path in paths:
        for place, sums in breakdowns(path).items():
            print(path, place, "sonde", json.dumps(sums))
        for place, sums in breakdowns(path, class_of_analysis).items():
            print(path, place, "analysis", json.dumps(sums))
        print(path, "gaps of streams", json.dumps(idle_breakdown(operations_of(path))))


if __name__ == "__main__":
    main(sys.argv[1:])
