#!/usr/bin/env python3
"""Counts and sums of a PyTorch trace, computed from the JSON alone with the Python standard library.

An independent second reading: tests compare it with what Sonde imports. Durations are nanoseconds, exact.
"""
import gzip
import json
import sys
from collections import Counter, defaultdict
from decimal import ROUND_HALF_UP, Decimal

TABLES = {
    "kernel": "kernels", "Kernel": "kernels",
    "gpu_memcpy": "copies", "Memcpy": "copies",
    "gpu_memset": "sets", "Memset": "sets",
    "cuda_sync": "syncs",
    "cuda_runtime": "api", "Runtime": "api", "cuda_driver": "api",
    "cpu_op": "ranges", "Operator": "ranges", "user_annotation": "ranges", "python_function": "ranges",
    "overhead": "overheads",
}


def load(path):
    data = open(path, "rb").read()
    if data[:2] == b"\x1f\x8b":
        data = gzip.decompress(data)
    return json.loads(data, parse_float=Decimal)


def ns(us):
    return int((Decimal(us) * 1000).quantize(Decimal(1), rounding=ROUND_HALF_UP))


def category(event):
    if event.get("cat"):
        return event["cat"]
    return {"M": "metadata", "C": "counter", "i": "instant", "I": "instant", "s": "flow", "t": "flow",
            "f": "flow"}.get(event["ph"], "(no category)")


class Table:
    def __init__(self):
        self.rows = 0
        self.sums = Counter()
        self.names = defaultdict(lambda: [0, 0])

    def add(self, name, duration, **sums):
        self.rows += 1
        self.sums["duration_ns"] += duration
        self.sums.update(sums)
        self.names[name][0] += 1
        self.names[name][1] += duration

    def facts(self):
        return {"rows": self.rows, "sums": dict(sorted(self.sums.items())), "names": dict(sorted(self.names.items()))}


def range_sums(event, targets):
    args = event.get("args", {})
    if event["cat"] not in ("cpu_op", "Operator"):
        sums = {"sequences": 0, "sequence_sum": 0, "backward_marked": 0}
    else:
        sequence = args.get("Sequence number", -1)
        marked = bool(args.get("Fwd thread id")) or event["name"].startswith("autograd::engine::evaluate_function: ")
        sums = {"sequences": int(sequence >= 0), "sequence_sum": max(sequence, 0), "backward_marked": int(marked)}
    dims = args.get("Input Dims", args.get("Input dims"))
    sums["shape_bytes"] = 0 if dims is None else len(json.dumps(dims, ensure_ascii=False))
    return sums


def gpu_sums(table, args):
    sums = {"correlation_sum": args.get("correlation", 0)}
    if table == "kernels":
        sums["blocks"] = product(args.get("grid", [0, 0, 0]))
        sums["threads"] = product(args.get("block", [0, 0, 0]))
        sums["registers"] = args.get("registers per thread", 0)
        sums["shared_bytes"] = args.get("shared memory", 0)
        sums["in_collectives"] = int("Collective name" in args)
    elif table in ("copies", "sets"):
        sums["bytes"] = args.get("bytes", 0)
    return sums


def product(dims):
    result = 1
    for d in dims:
        result *= d
    return result


def stream_of(event):
    args = event["args"]
    return (args["device"], args.get("context", 0), args["stream"])


def facts(path):
    document = load(path)
    events = document if isinstance(document, list) else document["traceEvents"]
    origin = min((ns(e["ts"]) for e in events if e["ph"] != "M"), default=0)
    holds = Counter(category(e) for e in events)
    tables = defaultdict(Table)
    threads, streams, domains = set(), set(), Counter()
    allocations = Table()
    for e in events:
        cat = e.get("cat")
        if e["ph"] == "i" and e["name"] == "[memory]":
            a = e["args"]
            allocations.add("", 0, bytes=abs(a["Bytes"]), releases=int(a["Bytes"] < 0), start_sum=ns(e["ts"]) - origin,
                            address_sum=a["Addr"], total_sum=a["Total Allocated"], reserved_sum=a["Total Reserved"])
            threads.add((str(e["pid"]), str(e["tid"])))
        if e["ph"] != "X" or cat not in TABLES:
            continue
        table = TABLES[cat]
        args = e.get("args", {})
        sums = {"start_sum": ns(e["ts"]) - origin}
        if table in ("kernels", "copies", "sets", "syncs"):
            sums |= gpu_sums(table, args)
            streams.add(stream_of(e))
        elif table == "ranges":
            sums |= range_sums(e, None)
            threads.add((str(e["pid"]), str(e["tid"])))
            domains[domain(e)] += 1
        elif table == "api":
            sums["correlation_sum"] = args.get("correlation", 0)
            threads.add((str(e["pid"]), str(e["tid"])))
        name = e["name"] if table in ("kernels", "api", "ranges", "overheads") else ""
        tables[table].add(name, ns(e["dur"]), **sums)
    result = {name: table.facts() for name, table in tables.items()}
    if allocations.rows:
        result["allocations"] = allocations.facts()
    base = int(document.get("baseTimeNanoseconds", 0)) if isinstance(document, dict) else 0
    described = [] if isinstance(document, list) else document.get("deviceProperties", [])
    return {
        "holds": dict(sorted(holds.items())),
        "origin_utc_ns": base + origin,
        "threads": len(threads),
        "streams": len(streams),
        "devices": len({d["id"] for d in described} | {s[0] for s in streams}),
        "domains": dict(sorted(domains.items())),
        "tables": dict(sorted(result.items())),
    }


def domain(event):
    if event["cat"] == "user_annotation":
        return ""
    if event["cat"] in ("cpu_op", "Operator"):
        return "torch.operator"
    return "torch.module" if event["name"].startswith("nn.Module: ") else "torch.python"


if __name__ == "__main__":
    json.dump(facts(sys.argv[1]), sys.stdout, ensure_ascii=False, sort_keys=True, indent=1)
    print()
