"""Stretches in which the host launches too slowly (docs/profiles/findings.md, launch_bound), from an nsys export alone."""

import re
import sqlite3
from collections import defaultdict
from dataclasses import dataclass

FEWEST_STARTS = 16
MOST_FED = 16
LEAST_IDLE_SHARE = 0.1
MOST_OF_USUAL = 8
LONGEST_READYING_NS = 1_000_000

ALLOCATES = re.compile(
    r"(cuda(Malloc|Free|HostAlloc|HostRegister|HostUnregister)"
    r"|cuMem(Alloc|Free|Host|Create|Release|Map|Unmap|Address|SetAccess)"
    r"|hip(Malloc|Free|HostMalloc|HostFree|HostRegister|HostUnregister))"
)
COPIES = re.compile(r"(cuda|cu|hip)Mem(cpy|set)")


@dataclass
class Call:
    start: int
    end: int
    thread: int
    name: str
    starved: int = 0
    work_end: int | None = None  # None: it launched nothing
    crosses_link: bool = False

    def waits(self):
        if "Synchronize" in self.name or ALLOCATES.match(self.name):
            return True
        if not COPIES.match(self.name):
            return False
        return "Async" not in self.name or (self.crosses_link and self.work_end is not None and self.end >= self.work_end)


def operations(database):
    """(start, end, GPU, call's key, whether a copy between host and GPU), by start."""
    present = {name for (name,) in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    rows = []
    for table in ("KERNEL", "MEMCPY", "MEMSET", "GRAPH_TRACE"):
        name = f"CUPTI_ACTIVITY_KIND_{table}"
        if name not in present:
            continue
        kind = "copyKind" if table == "MEMCPY" else "0"
        for start, end, device, process, correlation, copy in database.execute(
            f"SELECT start, end, deviceId, globalPid, correlationId, {kind} FROM {name}"
        ):
            rows.append((start, end, (process, device), (process, correlation), copy in (1, 2)))
    return sorted(rows, key=lambda row: row[0])


def calls(database):
    """All calls by start, and the outermost one of each key."""
    rows, of_key = [], {}
    for start, end, thread, correlation, name in database.execute(
        "SELECT start, end, globalTid, correlationId, (SELECT value FROM StringIds WHERE id = nameId) "
        "FROM CUPTI_ACTIVITY_KIND_RUNTIME ORDER BY start, end DESC"
    ):
        call = Call(start, end, thread, name)
        rows.append(call)
        of_key.setdefault((thread >> 24 << 24, correlation), call)
    return rows, of_key


def step_spans(database, steps):
    """The judged steps of the thread that took the first one; none where `sonde why` found no steps."""
    if not steps:
        return []
    found = [
        (start, end, thread)
        for start, end, thread, text in database.execute(
            "SELECT start, end, globalTid, coalesce(text, (SELECT value FROM StringIds WHERE id = textId)) "
            "FROM NVTX_EVENTS WHERE end IS NOT NULL"
        )
        if text and re.sub(r"\d+", "#", text) == steps["range"]
    ]
    first_thread = min(found)[2]
    return sorted((start, end) for start, end, thread in found if thread == first_thread)[-steps["judged"]:]


def mark_starved(database, of_key, steps):
    """Gives each call what the GPU was dry for before its first operation."""
    busy = {}
    for start, end, gpu, key, crosses in operations(database):
        call = of_key.get(key)
        if call is not None and (not steps or steps[0][0] <= start < steps[-1][1]):
            dry_from = max(busy.get(gpu, start), steps[0][0] if steps else 0)
            if call.work_end is None and not crosses and start > dry_from and call.end > dry_from:
                call.starved = start - dry_from
            call.work_end = max(call.work_end or 0, end)
            call.crosses_link = crosses
        if not crosses:
            busy[gpu] = max(busy.get(gpu, 0), end)


def runs_without_waits(rows):
    of_thread = defaultdict(list)
    for call in rows:
        of_thread[call.thread].append(call)
    for thread_calls in of_thread.values():
        run = []
        for call in thread_calls:
            if call.waits():
                yield run
                run = []
            elif call.work_end is not None:
                run.append(call)
        yield run


def pieces_of(run, steps):
    """The run cut where a launch comes late, or in another step."""
    def step(call):
        return next((i for i, (start, end) in enumerate(steps) if start <= call.start < end), None)

    usual = sorted(b.start - a.end for a, b in zip(run, run[1:]) if b.starved)
    if not usual:
        return
    longest = min(LONGEST_READYING_NS, MOST_OF_USUAL * usual[len(usual) // 2])
    piece = run[:1]
    for before, call in zip(run, run[1:]):
        if call.start - before.end > longest or step(before) != step(call):
            yield piece
            piece = []
        piece.append(call)
    yield piece


def stretches_of(piece):
    """(launches, nanoseconds dry) of each stretch."""
    groups = []
    for i in range(1, len(piece)):
        if piece[i].starved and groups and i - groups[-1][-1] <= MOST_FED:
            groups[-1].append(i)
        elif piece[i].starved:
            groups.append([i])
    for group in groups:
        dry = sum(piece[i].starved for i in group)
        host = piece[group[-1]].end - piece[group[0] - 1].end
        if len(group) >= FEWEST_STARTS and dry >= LEAST_IDLE_SHARE * host:
            yield group[-1] - group[0] + 1, dry


def totals(path, steps):
    """Launches and nanoseconds dry of all stretches. `steps` as `sonde why --json` gives it."""
    database = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
    rows, of_key = calls(database)
    spans = step_spans(database, steps)
    mark_starved(database, of_key, spans)
    found = [
        stretch
        for run in runs_without_waits(rows)
        for piece in pieces_of(run, spans)
        for stretch in stretches_of(piece)
    ]
    return sum(launches for launches, _ in found), sum(dry for _, dry in found)
