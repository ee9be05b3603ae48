#!/usr/bin/env python3
"""The headline numbers of a run from a PyTorch trace, in the form of summary_sql.py.

usage: summary_json.py FILE.json[.gz]
"""

import json
import sys

from pytorch_json import COPIES, COPY_WORDS, KERNELS, SETS, of, open_trace
from tables import grouped, union_length


def covered(events):
    return union_length((event.start, event.end) for event in events)


def device_numbers(events):
    kernels, copies, sets = (of(events, categories) for categories in (KERNELS, COPIES, SETS))
    return {"busy_ns": covered(events), "kernel_ns": covered(kernels), "memset_ns": covered(sets),
            "kernel_count": len(kernels), "copy_count": len(copies), "memset_count": len(sets), "graph_count": 0}


def copy_kind(event):
    words = event.name.split()
    return COPY_WORDS.get(words[1] if len(words) > 1 else "", "Unknown")


def copy_numbers(events):
    """Bytes are unknown (null) where no copy of the kind gives any."""
    sizes = [int(event.arguments["bytes"]) for event in events if "bytes" in event.arguments]
    return {"count": len(events), "bytes": sum(sizes) if sizes else None,
            "time_ns": sum(event.duration for event in events)}


def span(events):
    if not events:
        return {"first_ns": None, "last_ns": None, "total_ns": None}
    first, last = min(event.start for event in events), max(event.end for event in events)
    return {"first_ns": first, "last_ns": last, "total_ns": last - first}


def summary(path):
    events = open_trace(path)
    gpu = of(events, KERNELS | COPIES | SETS)
    by_device = grouped((str(event.arguments.get("device")), event) for event in gpu)
    by_kind = grouped((copy_kind(event), event) for event in of(events, COPIES))
    return {"devices": {device: device_numbers(members) for device, members in sorted(by_device.items())},
            "copies": {kind: copy_numbers(members) for kind, members in sorted(by_kind.items())},
            "span": span(events), "span_without_os_calls": span(events), "gpu_span": span(gpu)}


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    print(json.dumps(summary(sys.argv[1]), indent=2))
