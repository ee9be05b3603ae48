#!/usr/bin/env python3
"""The headline numbers of a run from an nsys export: what `sonde summary --json` is checked against.

usage: summary_sql.py FILE.sqlite
"""

import json
import sys

from nsys_database import COPY_KINDS, open_database
from tables import union_length

GPU_TABLES = ("kernel", "copy", "memset", "graph")


def intervals(db, names, device):
    parts = " UNION ALL ".join(f"SELECT start, end FROM {name} WHERE device = :device" for name in names)
    return db.execute(parts, {"device": device}).fetchall()


def devices(db):
    """By CUDA ordinal: busy covers all GPU work once, however many streams it ran on."""
    every = " UNION ".join(f"SELECT device FROM {name}" for name in GPU_TABLES)
    return {str(device): {"busy_ns": union_length(intervals(db, GPU_TABLES, device)),
                          "kernel_ns": union_length(intervals(db, ["kernel"], device)),
                          "memset_ns": union_length(intervals(db, ["memset"], device)),
                          **{f"{name}_count": len(intervals(db, [name], device)) for name in GPU_TABLES}}
            for (device,) in db.execute(f"{every} ORDER BY 1")}


def copies(db):
    rows = db.execute("SELECT kind, count(*), sum(bytes), sum(end - start) FROM copy GROUP BY kind ORDER BY kind")
    return {COPY_KINDS.get(kind, "Unknown"): {"count": count, "bytes": size, "time_ns": time}
            for kind, count, size, time in rows}


def span(db, names):
    parts = " UNION ALL ".join(f"SELECT min(start) AS first, max(end) AS last FROM {name}" for name in names)
    first, last = db.execute(f"SELECT min(first), max(last) FROM ({parts})").fetchone()
    return {"first_ns": first, "last_ns": last, "total_ns": None if first is None else last - first}


def summary(path):
    db = open_database(path)
    traced = [*GPU_TABLES, "api", "nvtx"]
    return {"devices": devices(db), "copies": copies(db), "span": span(db, traced + ["osrt"]),
            "span_without_os_calls": span(db, traced), "gpu_span": span(db, GPU_TABLES)}


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    print(json.dumps(summary(sys.argv[1]), indent=2))
