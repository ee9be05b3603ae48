#!/usr/bin/env python3
"""Idle time of each GPU of an nsys export by cause: the second computation of `sonde stats -r gpu_idle_sum`.

usage: idle_times.py FILE.sqlite

The causes and their order: src/analyses/gpus/idle_causes.inc. The kind of a CUDA call:
src/analyses/calls/api_kinds.inc. For each gap, the thread that launched the next operation decides: the gap is cut at
every boundary of that thread's activities, and each part has the strongest cause that covers it.
"""

import bisect
import itertools
import json
import pathlib
import re
import sys
from collections import Counter, namedtuple

from module_times import PUSH_POP, TEXT_PUSH_POP, calls, gpu_of_process, operations
from nsys_database import make, open_database, text_of

ORDER = ("before_first", "after_last", "profiler", "queued", "start", "migration", "data_loading", "synchronization", "copy", "load",
         "allocation", "initialization", "launch", "api", "os_call", "library", "range", "host", "unknown")
RANK = {cause: i for i, cause in enumerate(ORDER)}
READYING = ORDER[ORDER.index("launch"):ORDER.index("host") + 1]
LONGEST_READYING, LONGEST_START = 100_000, 5_000
OF_KIND = {"launch": "launch", "copy_async": "launch", "copy_blocking": "copy", "synchronize": "synchronization",
           "allocate": "allocation", "load": "load", "initialize": "initialization"}
DATA_LOADING = re.compile(r"dataload|loaddata|(load|next|get|fetch)batch|batchload|datafetch|fetchdata|iteratorgetnext|\[dali\]")
LIBRARY_TABLES = ("CUBLAS_EVENTS", "CUDNN_EVENTS")
Activity = namedtuple("Activity", "start end cause")
Gpu = namedtuple("Gpu", "idle_ns causes")


def api_kinds():
    path = pathlib.Path(__file__).resolve().parents[2] / "src/analyses/calls/api_kinds.inc"
    return dict(re.findall(r'SONDE_API_KIND\("(\w+)", (\w+)\)', path.read_text()))


def cause_of_call(name, kinds):
    prefix = max((prefix for prefix in kinds if name.startswith(prefix)), key=len, default=None)
    kind = kinds.get(prefix)
    if kind == "copy_blocking" and "Async" in name:
        kind = "copy_async"
    return OF_KIND.get(kind, "api")


def cause_of_overhead(name):
    """CUDA's own overheads stand in the profiler's tables, too."""
    lower = name.lower()
    if "loading" in lower or "compil" in lower:
        return "load"
    return "launch" if "command buffer" in lower else "profiler"


def activities(db):
    """tid -> what the thread was in."""
    found, kinds = {}, api_kinds()

    def add(tid, start, end, cause):
        if tid is not None and end is not None and end > start:
            found.setdefault(tid, []).append(Activity(start, end, cause))

    for tid, start, end, name in db.execute("SELECT tid, start, end, name FROM api"):
        add(tid, start, end, cause_of_call(name, kinds))
    for tid, start, end, name in db.execute(f"""
            SELECT tid, start, end, coalesce(text, '') FROM nvtx_event WHERE type IN ({PUSH_POP}, {TEXT_PUSH_POP})"""):
        squeezed = re.sub("[ _]", "", name).lower()
        add(tid, start, end, "data_loading" if DATA_LOADING.search(squeezed) else "range")
    for number, table in enumerate(("OSRT_API", *LIBRARY_TABLES)):
        make(db, f"host{number}", table, {"start": "s.start", "end": "s.end", "tid": "s.globalTid"})
        for tid, start, end in db.execute(f"SELECT tid, start, end FROM host{number}"):
            add(tid, start, end, "library" if number else "os_call")
    for number, table in enumerate(("PROFILER_OVERHEAD", "CUPTI_ACTIVITY_KIND_OVERHEAD")):
        make(db, f"overhead{number}", table, {"start": "s.start", "end": "s.end", "tid": "s.globalTid",
                                              "name": f"coalesce({text_of('s.nameId')}, '')"})
        for tid, start, end, name in db.execute(f"SELECT tid, start, end, name FROM overhead{number}"):
            add(tid, start, end, cause_of_overhead(name))
    return found


def extent(db):
    """First start and last end of GPU work, calls, ranges and synchronizations."""
    make(db, "sync", "CUPTI_ACTIVITY_KIND_SYNCHRONIZATION", {"start": "s.start", "end": "s.end"})
    tables = ["kernel", "copy", "memset", "graph", "api", "sync", "host0", "host1", "host2"]
    ranges = "SELECT start, coalesce(end, start) AS end FROM nvtx_event WHERE type IN (59, 60, 70, 71)"
    parts = " UNION ALL ".join([f"SELECT start, end FROM {table}" for table in tables] + [ranges])
    return db.execute(f"SELECT min(start), max(end) FROM ({parts})").fetchone()


def cut(start, end, present):
    """(start, end, cause) of the parts of a span in which one activity is the strongest all along."""
    borders = sorted({start, end, *(time for a in present for time in (a.start, a.end) if start < time < end)})
    parts = []
    for begin, until in itertools.pairwise(borders):
        covering = [(RANK[a.cause], -a.start, a.end, i) for i, a in enumerate(present)
                    if a.start <= begin and a.end >= until]
        strongest = min(covering, default=None)
        if parts and parts[-1][2] == strongest:
            parts[-1][1] = until
        else:
            parts.append([begin, until, strongest])
    return [(begin, until, ORDER[strongest[0]] if strongest else "host") for begin, until, strongest in parts]


def first_calls(db):
    """process -> (smallest correlation id, earliest start) of its recorded calls."""
    rows = db.execute("SELECT process, min(correlation), min(start) FROM api WHERE correlation <> 0 GROUP BY process")
    return {process: found for process, *found in rows}


MIGRATIONS = (11, 12, 13)  # copy kinds of managed memory


def queued(length):
    return ("start" if length <= LONGEST_START else "queued", length)


def causes_of_early_gap(start, end, op, first_call):
    """The same for work without a call: ids count up, so that one below all recorded ids was launched before them."""
    if op.kind in MIGRATIONS:
        return [("migration", end - start)]
    if op.correlation and first_call and op.correlation < first_call[0]:
        launched = min(max(first_call[1], start), end)
        return [("unknown", launched - start), queued(end - launched)]
    return [("unknown", end - start)]


def causes_of_gap(start, end, call, of_thread):
    """(cause, nanoseconds) of a gap that ended when what `call` launched began."""
    launched = min(max(call.end, start), end)
    found = []
    if launched > start:
        present = of_thread.present(call.tid, start, launched)
        waits = [(RANK[a.cause], -a.start) for a in present
                 if a.start < start and a.cause in ("synchronization", "copy")]
        for begin, until, cause in cut(start, launched, present):
            if waits and cause in READYING and until - begin <= LONGEST_READYING:
                cause = ORDER[min(waits)[0]]
            found.append((cause, until - begin))
    return [*found, queued(end - launched)]


class Threads:
    """What lies across a span of a thread, by looking through all that begins before the span's end."""

    def __init__(self, of_thread):
        self.of_thread = {tid: sorted(found) for tid, found in of_thread.items()}
        self.latest_end = {tid: list(itertools.accumulate((a.end for a in found), max))
                           for tid, found in self.of_thread.items()}

    def present(self, tid, start, end):
        found = self.of_thread.get(tid, [])
        first = bisect.bisect_right(self.latest_end.get(tid, []), start)
        return [a for a in itertools.islice(found, first, bisect.bisect_left(found, (end,))) if a.end > start]


def idle_times(path):
    """GPU -> (what Sonde calls it, Gpu). Ends with an error where the causes are not extent less busy time."""
    db = open_database(path)
    of_thread, by_correlation, gpu_of = Threads(activities(db)), calls(db), gpu_of_process(db)
    first, last = extent(db)
    first_call = first_calls(db)
    of_gpu, numbers = {}, {}
    for op in operations(db):
        key = gpu_of(op.process, op.device)
        of_gpu.setdefault(key, []).append(op)
        numbers[key] = op.device
    found = {}
    for key, ops in of_gpu.items():
        ops.sort(key=lambda op: op.start)
        causes, busy, until = Counter(before_first=ops[0].start - first), 0, ops[0].start
        for op in ops:
            if op.start > until:
                call = by_correlation.get((op.process, op.correlation)) if op.correlation else None
                parts = (causes_of_gap(until, op.start, call, of_thread) if call is not None else
                         causes_of_early_gap(until, op.start, op, first_call.get(op.process)))
                for cause, length in parts:
                    causes[cause] += length
            busy += max(0, op.end - max(until, op.start))
            until = max(until, op.end)
        causes["after_last"] += last - until
        causes = +causes
        if sum(causes.values()) != last - first - busy:
            raise AssertionError(f"{path}: the causes of {key} do not add up")
        found[key] = (f"GPU {numbers[key]}", Gpu(last - first - busy, causes))
    return found


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    for place, gpu in idle_times(sys.argv[1]).values():
        print(json.dumps({"gpu": place, "idle_ns": gpu.idle_ns, "causes": gpu.causes}))


if __name__ == "__main__":
    main()
