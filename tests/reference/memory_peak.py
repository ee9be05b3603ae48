"""What holds device memory at its peak, computed from a file's own words: PyTorch's trace (`[memory]` events) or a memory
snapshot (a pickle). Shares nothing with Sonde."""

import gzip
import json
import pickle
from collections import Counter
from pathlib import Path

CPU = 0  # c10::DeviceType


def of_trace(path):
    """device -> (peak bytes, reserved bytes then, bytes allocated before, bytes by enclosing operator)."""
    text = gzip.open(path, "rb").read() if str(path).endswith(".gz") else Path(path).read_bytes()
    events = json.loads(text)["traceEvents"]
    memory = [e for e in events if e.get("name") == "[memory]" and e["args"].get("Device Type") != CPU]
    memory.sort(key=lambda e: float(e["ts"]))
    operators = {}
    for event in events:
        if event.get("ph") == "X" and event.get("cat") in ("cpu_op", "Operator"):
            operators.setdefault((event["pid"], event["tid"]), []).append(event)
    result = {}
    for device in {e["args"]["Device Id"] for e in memory}:
        mine = [e for e in memory if e["args"]["Device Id"] == device]
        result[device] = _peak_of(mine, operators)
    return result


def _peak_of(events, operators):
    totals = [e["args"]["Total Allocated"] for e in events]
    first = events[0]["args"]
    highest = max(totals)
    if highest <= first["Total Allocated"] - first["Bytes"]:
        return highest, None, highest, Counter()
    peak = totals.index(highest)
    live = {}
    for event in events[:peak + 1]:
        args = event["args"]
        if args["Bytes"] > 0:
            live[args["Addr"]] = event
        else:
            live.pop(args["Addr"], None)
    by_operator = Counter()
    for event in live.values():
        by_operator[_operator_at(event, operators)] += event["args"]["Bytes"]
    reserved = events[peak]["args"].get("Total Reserved")
    return highest, reserved, highest - sum(by_operator.values()), by_operator


def _operator_at(event, operators):
    """The shortest of the operators of its thread that last at that time."""
    time = _ns(event["ts"])
    around = [o for o in operators.get((event["pid"], event["tid"]), [])
              if _ns(o["ts"]) <= time < _ns(o["ts"]) + _ns(o["dur"])]
    return max(around, key=lambda o: (_ns(o["ts"]), -_ns(o["dur"])))["name"] if around else ""


def _ns(microseconds):
    return round(float(str(microseconds)) * 1000) if "." in str(microseconds) else int(microseconds) * 1000


def of_snapshot(path):
    """device -> (peak of requested bytes, bytes in use at the end, bytes reserved at the end)."""
    snapshot = pickle.loads(Path(path).read_bytes())
    result = {}
    for device in {s["device"] for s in snapshot["segments"]}:
        segments = [s for s in snapshot["segments"] if s["device"] == device]
        blocks = [b for s in segments for b in s["blocks"]]
        in_use = sum(b.get("requested_size", b["size"]) for b in blocks if b["state"] == "active_allocated")
        level = peak = in_use
        for entry in reversed(snapshot["device_traces"][device]):
            if entry["action"] == "alloc":
                level -= entry["size"]
            elif entry["action"] in ("free_requested", "free"):
                level += entry["size"]
            peak = max(peak, level)
        result[device] = (peak, in_use, sum(s["total_size"] for s in segments))
    return result
