#!/usr/bin/env python3
"""GPU time, calls and copies of each NVTX range of an nsys export: the second computation of `sonde modules`.

usage: module_times.py FILE.sqlite

A node is the path of names of a push/pop range on its thread's stack, whatever the domains. An operation belongs to the
innermost range around the call that launched it. A nanosecond in which n operations of a GPU run gives each 1/n of it.
"""

import bisect
import json
import re
import sys
from collections import Counter, namedtuple
from fractions import Fraction

from nsys_database import open_database

# What the file has of a table of GPU work: rows of one process and one device number.
Operation = namedtuple("Operation", "table process device start end correlation bytes kind")
Call = namedtuple("Call", "tid start end name")
Range = namedtuple("Range", "start end name parent")
FIELDS = ("self", "total", "host", "host_self", "calls", "kernels", "copies", "bytes", "launches", "operations")
PUSH_POP, TEXT_PUSH_POP = 59, 70
NO_END = (1 << 63) - 1


def operations(db):
    found = []
    for table in ("kernel", "copy", "memset", "graph"):
        size = "bytes, kind" if table == "copy" else "0, NULL"
        rows = db.execute(f"SELECT process, device, start, end, correlation, {size} FROM {table} ORDER BY rowid")
        found += [Operation(table, *row) for row in rows]
    return found


def gpu_of_process(db):
    """(process, device number) -> the GPU: a row of the file's table of GPUs, or that pair where the file has none."""
    known = {(pid, number): gpu for pid, number, gpu in db.execute("SELECT pid, id, gpu FROM device")}

    def gpu(process, device):
        row = known.get((process & 0xFFFFFF, device), known.get((None, device)))
        return (process, device) if row is None else row
    return gpu


def calls(db):
    """(process, correlation) -> the call; the API's rows of a correlation lie in one another, the outermost counts."""
    found = {}
    for process, correlation, *call in db.execute(
            "SELECT process, correlation, tid, start, end, name FROM api WHERE correlation <> 0 ORDER BY start, end DESC"):
        found.setdefault((process, correlation), Call(*call))
    return found


def shares(ops, gpu):
    """The exact share of each operation, and the union of the operations' times of each GPU."""
    result, busy = [Fraction(0)] * len(ops), Counter()
    events = {}
    for i, op in enumerate(ops):
        if op.end > op.start:
            events.setdefault(gpu(op.process, op.device), []).extend([(op.start, 1, i), (op.end, 0, i)])
    for key, borders in events.items():
        borders.sort()
        running, before, felt = 0, 0, Fraction(0)
        for time, starts, i in borders:
            if running:
                felt += Fraction(time - before, running)
                busy[key] += time - before
            before = time
            running += 1 if starts else -1
            result[i] += -felt if starts else felt
    return result, busy


def ranges_by_thread(db):
    """tid -> ranges in the order of start, outer ones first, each with the index of the one around it."""
    rows = db.execute(f"""
        SELECT tid, start, coalesce(end, {NO_END}), coalesce(text, '') FROM nvtx_event
        WHERE type IN ({PUSH_POP}, {TEXT_PUSH_POP}) ORDER BY tid, start, 3 DESC, id""").fetchall()
    found = {}
    for tid, start, end, name in rows:
        ranges = found.setdefault(tid, [])
        ranges.append(Range(start, end, name, around(ranges, end, len(ranges) - 1)))
    return found


def around(ranges, end, last):
    """Index of the innermost range that holds all up to `end`, of those up to the one at `last`."""
    i = None if last < 0 else last
    while i is not None and ranges[i].end < end:
        i = ranges[i].parent
    return i


def innermost(ranges, call):
    """Index of the innermost range around a call."""
    last = bisect.bisect_right(ranges, call.start, key=lambda r: r.start) - 1
    return around(ranges, call.end, last)


def path_of(ranges, i, text):
    names = []
    while i is not None:
        names.append(text(ranges[i].name))
        i = ranges[i].parent
    return tuple(reversed(names))


def grouped_name(name):
    return re.sub("[0-9]+", "#", name)


def module_times(path, exact_names=True):
    """(nodes: {path of names: figures}, figures outside any range, busy time of all GPUs)."""
    db = open_database(path)
    text = (lambda name: name) if exact_names else grouped_name
    ops, of_thread, by_correlation = operations(db), ranges_by_thread(db), calls(db)
    gpu_shares, busy = shares(ops, gpu_of_process(db))
    paths = {tid: [path_of(ranges, i, text) for i in range(len(ranges))] for tid, ranges in of_thread.items()}
    nodes = {(): Counter()}
    for tid, ranges in of_thread.items():
        add_host_times(ranges, paths[tid], nodes)
    launched = {}
    for op, share in zip(ops, gpu_shares):
        call = by_correlation.get((op.process, op.correlation)) if op.correlation else None
        place = ()
        if call is not None:
            i = innermost(of_thread.get(call.tid, []), call)
            place = () if i is None else paths[call.tid][i]
            launched[(op.process, op.correlation)] = place
        add_operation(nodes, place, op, share)
    for place in launched.values():
        add_upwards(nodes, place, "launches", 1)
    outside = nodes.pop(())
    return nodes, outside, sum(busy.values())


def add_host_times(ranges, paths, nodes):
    for range_, path in zip(ranges, paths):
        node = nodes.setdefault(path, Counter())
        node["calls"] += 1
        if range_.end == NO_END:
            continue
        node["host"] += range_.end - range_.start
        node["host_self"] += range_.end - range_.start
        if range_.parent is not None:
            nodes[paths[range_.parent]]["host_self"] -= range_.end - range_.start


def add_upwards(nodes, place, field, amount):
    if not place:
        nodes[()][field] += amount
    for depth in range(len(place), 0, -1):
        nodes[place[:depth]][field] += amount


def add_operation(nodes, place, op, share):
    nodes[place]["self"] += share
    add_upwards(nodes, place, "total", share)
    add_upwards(nodes, place, "operations", 1)
    if op.table == "kernel":
        add_upwards(nodes, place, "kernels", 1)
    if op.table == "copy":
        add_upwards(nodes, place, "copies", 1)
        add_upwards(nodes, place, "bytes", op.bytes or 0)


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    nodes, outside, busy = module_times(sys.argv[1])
    for path, node in nodes.items():
        print(json.dumps({"path": path} | {field: float(node[field]) for field in FIELDS}))
    print(json.dumps({"outside": float(outside["self"]), "busy": busy}))


if __name__ == "__main__":
    main()
