"""Threads, cores, OS calls by kind, library calls, memory in use and GPU metrics of a profile, computed a second time.

What `sonde stats -r thread_sum,cpu_core_sum,osrt_kind_sum,library_call_sum,memory_usage_sum,gpu_metric_step_sum,
gpu_metric_module_sum` and the memory columns of `sonde modules` are checked against. Of an nsys export by looking at every
border of time, of a PyTorch trace (memory only) event by event.
"""

import bisect
import itertools
import pathlib
import re
from collections import Counter, defaultdict, namedtuple
from fractions import Fraction

from idle_times import extent
from module_times import around, calls, gpu_of_process, operations, ranges_by_thread, shares
from nsys_database import make, open_database, text_of

ROOT = pathlib.Path(__file__).resolve().parents[2] / "src/analyses/calls"
WAITING_API = ("cudaDeviceSynchronize", "cudaStreamSynchronize", "cudaEventSynchronize", "cudaThreadSynchronize",
               "cuCtxSynchronize", "cuStreamSynchronize", "cuEventSynchronize")
PREEMPTED, NOT_STATES = 1, (None, 0, 5, 255)  # ENUM_SAMPLING_THREAD_STATE: running; unknown and terminated tell nothing
DEVICE_KINDS, MANAGED, PINNED, PAGEABLE = (2, 3, 5, 7), (4, 6), (1,), (0,)
Call = namedtuple("Call", "start end name waits")


def inc_rows(file, macro):
    """The arguments of each row of an .inc table, as text."""
    return [[a.strip().strip('"') for a in row.split(",")]
            for row in re.findall(rf"^{macro}\(([^)]*)\)", (ROOT / file).read_text(), re.MULTILINE)]


def os_kinds():
    waits = {kind: flag == "true" for kind, flag, *_ in inc_rows("os_call_kinds.inc", "SONDE_OS_CALL_KIND")}
    return dict(inc_rows("os_call_kinds.inc", "SONDE_OS_CALL")), waits


def os_kind(name, kinds):
    name = name.lstrip("_")
    for ending in ("_nocancel", "_chk", "64"):
        name = name.removesuffix(ending)
    return kinds.get(name, "other")


def waits_for_gpu(name):
    if name.startswith(WAITING_API):
        return True
    copy = name.startswith(("cudaMemcpy", "cudaMemset", "cuMemcpy", "cuMemset"))
    return copy and "Async" not in name


class Run:
    """An nsys export: all that the tables need, by thread."""

    def __init__(self, path):
        self.db = open_database(path)
        kinds, waits = os_kinds()
        for number, table in enumerate(("OSRT_API", "SYSCALL", "CUBLAS_EVENTS", "CUDNN_EVENTS")):
            make(self.db, f"call{number}", table, {"start": "s.start", "end": "s.end", "tid": "s.globalTid",
                                                   "name": text_of("s.nameId")})
        for number, table in enumerate(("OSRT_API", "CUBLAS_EVENTS", "CUDNN_EVENTS")):  # what extent() reads
            make(self.db, f"host{number}", table, {"start": "s.start", "end": "s.end"})
        make(self.db, "sched", "SCHED_EVENTS", {"start": "s.start", "cpu": "s.cpu", "inside": "s.isSchedIn",
                                                "tid": "s.globalTid", "state": "s.threadState"})
        self.calls, self.switches, self.moments = defaultdict(list), defaultdict(list), defaultdict(list)
        self.os_calls, self.library = [], []
        sources = [("api", waits_for_gpu)]
        sources += [("call2", lambda name: False), ("call3", lambda name: False)]
        sources += [(f"call{n}", lambda name: waits[os_kind(name, kinds)]) for n in (0, 1)]
        for table, may_wait in sources:
            for tid, start, end, name in self.db.execute(f"SELECT tid, start, end, name FROM {table} ORDER BY start, end DESC"):
                self.calls[tid].append(Call(start, end, name, may_wait(name)))
                if end > start:
                    self.moments[tid] += [start, end]
                if table == "call0" and end > start:
                    self.os_calls.append((tid, start, end, name, os_kind(name, kinds)))
                if table in ("call2", "call3"):
                    self.library.append((tid, start, end, "cuBLAS" if table == "call2" else "cuDNN", name))
        for tid, start, end in self.db.execute("SELECT tid, start, coalesce(end, start) FROM nvtx_event WHERE type IN (59, 70)"):
            self.moments[tid] += [start, end]
        last = 0
        for tid, *switch in self.db.execute("SELECT tid, start, cpu, inside, state FROM sched ORDER BY start, rowid"):
            self.switches[tid].append(switch)
            self.moments[tid].append(switch[0])
            last = max(last, switch[0])
        for tid, switches in self.switches.items():
            if switches[-1][2]:
                self.moments[tid].append(last)
        for found in self.calls.values():
            found.sort(key=lambda c: (c.start, -c.end))
        self.domains()

    def domains(self):
        names = [row[0] for row in inc_rows("library_domains.inc", "SONDE_LIBRARY_DOMAIN")]
        rows = self.db.execute("SELECT e.tid, e.start, e.end, d.text, coalesce(e.text, '') FROM nvtx_event e JOIN domain d "
                               "ON d.id = e.domain AND d.process = e.tid >> 24 WHERE e.type IN (59, 70) AND e.end IS NOT NULL")
        self.library += [row for row in rows if row[3] in names]

    def pieces(self, tid):
        """(start, end, core or None, state at which it left) of a thread's time, cut at its switches."""
        switches, moments = self.switches[tid], self.moments[tid]
        first, last = min(moments), max(moments)
        start, cpu, inside, _ = switches[0]
        found = [(first, start, None if inside else cpu, None)]
        for i, (start, cpu, inside, state) in enumerate(switches):
            until = switches[i + 1][0] if i + 1 < len(switches) else last
            found.append((start, until, cpu if inside else None, state))
        return found


def innermost_by_name(present, blocked):
    """Name -> nanoseconds of `blocked` in calls of that name: of those that run the one that began last."""
    borders = sorted({time for c in present for time in (c.start, c.end)} | {time for span in blocked for time in span})
    begun, found, i = [], Counter(), 0
    waiting = iter(blocked)
    span = next(waiting, None)
    for start, end in itertools.pairwise(borders):
        while i < len(present) and present[i].start <= start:
            begun.append(present[i])
            i += 1
        begun = [c for c in begun if c.end > start]
        while span and span[1] <= start:
            span = next(waiting, None)
        if begun and span and span[0] <= start:
            found[begun[-1].name] += end - start
    return found


def union(spans):
    """Sorted spans without overlaps."""
    found = []
    for start, end in sorted(spans):
        if found and start <= found[-1][1]:
            found[-1][1] = max(found[-1][1], end)
        else:
            found.append([start, end])
    return [tuple(span) for span in found]


def length(spans):
    return sum(end - start for start, end in spans)


def common(a, b):
    """Nanoseconds in both of two unions: the length of each less that of their union."""
    return length(a) + length(b) - length(union([*a, *b]))


def threads(run):
    """tid -> figures of thread_sum, and the longest wait's names (several when they tie)."""
    kernels, by_correlation, found = Counter(), calls(run.db), {}
    for op in operations(run.db):
        call = by_correlation.get((op.process, op.correlation)) if op.correlation else None
        if op.table == "kernel" and call:
            kernels[call.tid] += 1
    for tid, moments in run.moments.items():
        if tid is None:
            continue
        figures = {"Span": max(moments) - min(moments), "Kernels": kernels[tid]}
        present = [c for c in run.calls[tid] if c.end > c.start]
        if tid in run.switches:
            pieces = run.pieces(tid)
            off = [(s, e, state) for s, e, core, state in pieces if core is None and e > s]
            blocked = [(s, e) for s, e, state in off if state != PREEMPTED]
            cores = [cpu for _, cpu, inside, _ in run.switches[tid] if inside]
            known = any(state not in NOT_STATES for _, _, core, state in pieces if core is None)
            figures |= {"Running": sum(e - s for s, e, core, _ in pieces if core is not None),
                        "Ready": sum(e - s for s, e, state in off if state == PREEMPTED) if known else None,
                        "Switches": len(cores), "Migrations": sum(a != b for a, b in itertools.pairwise(cores)),
                        "Cores": len({cpu for _, cpu, _, _ in run.switches[tid]})}
        else:
            present = [c for c in present if c.waits]
            blocked = union((c.start, c.end) for c in present)
        figures["Blocked"] = length(blocked)
        by_name = innermost_by_name(present, blocked)
        most = max(by_name.values(), default=None)
        figures["Top Wait Time"] = most
        figures["Top Wait"] = {name for name, ns in by_name.items() if ns == most}
        found[tid] = figures
    return found


def cores(run):
    """core -> (running, switches, threads) of cpu_core_sum."""
    found = {}
    for tid in run.switches:
        for i, (start, end, core, _) in enumerate(run.pieces(tid)):
            if core is None:
                continue
            running, switches, threads_ = found.setdefault(core, [Counter(), Counter(), set()])
            running["ns"] += end - start
            switches["n"] += i > 0
            threads_.add(tid)
    return {core: (running["ns"], switches["n"], len(tids)) for core, (running, switches, tids) in found.items()}


def gaps(run):
    """[(start, end, thread whose work came next or None)] of every GPU's idle time."""
    first, last = extent(run.db)
    gpu_of, by_correlation, of_gpu = gpu_of_process(run.db), calls(run.db), defaultdict(list)
    for op in operations(run.db):
        of_gpu[gpu_of(op.process, op.device)].append(op)
    found = []
    for ops in of_gpu.values():
        ops.sort(key=lambda op: op.start)
        until = first
        for i, op in enumerate(ops):
            if op.start > until:
                call = by_correlation.get((op.process, op.correlation)) if op.correlation and i else None
                found.append((until, op.start, call.tid if call else None))
            until = max(until, op.end)
        found.append((until, last, None))
    return [gap for gap in found if gap[0] < gap[1]]


def os_call_groups(run):
    """(kind, tid) -> figures of osrt_kind_sum."""
    groups, idle = defaultdict(list), gaps(run)
    any_idle = union((s, e) for s, e, _ in idle)
    for tid, start, end, _, kind in run.os_calls:
        groups[kind, tid].append((start, end))
    found = {}
    for (kind, tid), spans in groups.items():
        durations = sorted(e - s for s, e in spans)
        middle = len(durations) // 2
        median = Fraction(durations[middle] + durations[-middle - 1], 2)
        waited = union((s, e) for s, e, thread in idle if thread == tid)
        found[kind, tid] = {"Total Time": sum(durations), "Num Calls": len(durations), "Med": median, "Max": durations[-1],
                            "GPU Idle": common(union(spans), any_idle), "GPU Waited": common(union(spans), waited)}
    return found


def back_traces(run):
    """(kind, tid) -> texts of the call chains with the most time (several when they tie) in OS calls."""
    make(run.db, "chained", "OSRT_API", {"start": "s.start", "end": "s.end", "tid": "s.globalTid", "chain": "s.callchainId",
                                         "name": text_of("s.nameId")})
    make(run.db, "frame", "OSRT_CALLCHAINS", {"id": "s.id", "depth": "s.stackDepth", "symbol": text_of("s.symbol"),
                                              "module": text_of("s.module"), "kernel": "s.kernelMode"})
    frames = defaultdict(list)
    for chain, *frame in run.db.execute("SELECT id, symbol, module FROM frame WHERE coalesce(kernel, 0) <> 1 ORDER BY id, depth"):
        frames[chain].append(frame)
    kinds, by_group = os_kinds()[0], defaultdict(Counter)
    for start, end, tid, chain, name in run.db.execute("SELECT * FROM chained WHERE end > start"):
        if chain in frames:
            by_group[os_kind(name, kinds), tid][chain_text(frames[chain])] += end - start
    return {key: {text for text, ns in texts.items() if ns == max(texts.values())} for key, texts in by_group.items()}


def chain_text(frames):
    named = [symbol if symbol and not symbol.startswith("0x") and symbol != "[Unknown]" else
             f"[{module.split('/')[-1]}]" if module and not module.startswith("0x") and module != "[Unknown]" else "[unknown]"
             for symbol, module in frames]
    merged = [name for name, group in itertools.groupby(enumerate(named), lambda f: (f[1], None if f[1][0] == "[" else f[0]))]
    names = [name for name, _ in merged]
    return " < ".join(names[:8] + (["..."] if len(names) > 8 else []))


def library_calls(run):
    """(library, function) -> [total ns, calls, device ns, operations] of library_call_sum."""
    found, of_thread = {}, defaultdict(list)
    for tid, start, end, library, name in run.library:
        entry = found.setdefault((library, name), [0, 0, Fraction(0), 0])
        entry[0] += end - start
        entry[1] += 1
        of_thread[tid].append((start, end, entry))
    for spans in of_thread.values():
        spans.sort(key=lambda s: (s[0], -s[1]))
    ops, by_correlation = operations(run.db), calls(run.db)
    gpu_shares, _ = shares(ops, gpu_of_process(run.db))
    for op, share in zip(ops, gpu_shares):
        call = by_correlation.get((op.process, op.correlation)) if op.correlation else None
        spans = of_thread.get(call.tid, []) if call else []
        last = bisect.bisect_right(spans, call.start, key=lambda s: s[0]) if call else 0
        # Nested calls are few: looking back past 64 others finds any around it.
        entry = next((s[2] for s in reversed(spans[max(0, last - 64):last]) if s[1] >= call.end and s[1] > call.start), None)
        if entry:
            entry[2] += share
            entry[3] += 1
    return found


# Memory: one event is (time, process, place, bytes with sign or None, address, total or None).

def nsys_memory(run):
    run.db.execute("DROP TABLE IF EXISTS usage")
    make(run.db, "usage", "CUDA_GPU_MEMORY_USAGE_EVENTS",
         {"start": "s.start", "process": "s.globalPid >> 24", "device": "s.deviceId", "bytes": "s.bytes", "kind": "s.memKind",
          "operation": "s.memoryOperationType", "address": "s.address"})
    gpu_of, events = gpu_of_process(run.db), []
    for start, process, device, size, kind, operation, address in run.db.execute(
            "SELECT start, process, device, bytes, kind, operation, address FROM usage ORDER BY start, rowid"):
        name = ("Managed" if kind in MANAGED else "Pinned" if kind in PINNED else "Pageable" if kind in PAGEABLE else "Device")
        place = (name, gpu_of(process, device) if name in ("Device", "Managed") else None)
        events.append((start, process, place, -size if operation else size, address, None))
    return events


def pytorch_memory(entries, nanoseconds):
    events = []
    for i, entry in enumerate(entries):
        args = entry.get("args", {})
        if entry.get("name") != "[memory]" or "Bytes" not in args:
            continue
        host = args["Device Type"] == 0
        place = ("Host", None) if host else ("Device", args["Device Id"])
        events.append((nanoseconds(entry["ts"]), i, entry["pid"], place, args["Bytes"], args.get("Addr"),
                       args.get("Total Allocated")))
    events.sort(key=lambda e: e[:2])
    return [(time, *rest) for time, _, *rest in events]


def levels(events):
    """place -> (in use before the first event, [(time, in use after it)], allocations, releases, not released bytes)."""
    found = {}
    for place in dict.fromkeys(e[2] for e in events):
        mine = [e for e in events if e[2] == place]
        start, series, kept = 0, defaultdict(int), 0
        changes, level = [], {}
        for process in dict.fromkeys(e[1] for e in mine):
            before, after, left = of_process([e for e in mine if e[1] == process])
            start += before
            kept += left
            level[process] = before
            changes.append(iter(after))
        after = dict(zip(level, changes))
        series = []
        for time, process, *_ in mine:
            level[process] = next(after[process])
            series.append((time, sum(level.values())))
        found[place] = (start, series, sum(e[3] > 0 for e in mine), sum(e[3] < 0 for e in mine), kept)
    return found


def of_process(events):
    """(in use before, in use after each event, bytes of allocations that were not released) of one process and place."""
    live, unseen, total = {}, 0, 0
    sums = []
    kept = 0
    for _, _, _, size, address, _ in events:
        if size > 0:
            live[address] = size
            kept += size
        elif address in live:
            kept -= live.pop(address)
        else:
            unseen -= size
        total += size
        sums.append(total)
    told = next(((t - s) for s, (*_, t) in zip(sums, events) if t is not None), None)
    before = unseen if told is None else told
    after = [before + s if t is None else t for s, (*_, t) in zip(sums, events)]
    return before, after, kept


def slope(values):
    """Least squares over 0, 1, 2, ..., exact."""
    n = len(values)
    mean_x, mean_y = Fraction(n - 1, 2), Fraction(sum(values), n)
    return (sum((i - mean_x) * (v - mean_y) for i, v in enumerate(values)) / sum((i - mean_x) ** 2 for i in range(n)))


def level_at(start, series, time):
    i = bisect.bisect_right(series, time, key=lambda e: e[0])
    return series[i - 1][1] if i else start


def range_memory(run):
    """Path of names -> (highest in use on a GPU while one of its ranges was open, growth over them) of a push/pop range."""
    events = [e for e in nsys_memory(run) if e[2][0] == "Device"]
    per_process = {}
    for process in {e[1] for e in events}:
        per_process[process] = levels([e for e in events if e[1] == process])
    found = {}
    for tid, ranges in ranges_by_thread(run.db).items():
        for i, r in enumerate(ranges):
            path = []
            j = i
            while j is not None:
                path.append(re.sub("[0-9]+", "#", ranges[j].name))
                j = ranges[j].parent
            peak, growth = found.get(tuple(reversed(path)), (None, None))
            for start, series, *_ in per_process.get(tid >> 24, {}).values():
                first = bisect.bisect_right(series, r.start, key=lambda e: e[0])
                last = bisect.bisect_right(series, r.end, key=lambda e: e[0])
                inside = [level_at(start, series, r.start), *(level for _, level in series[first:last])]
                peak = max([p for p in (peak, *inside) if p is not None])
                if r.end < 1 << 62:
                    growth = (growth or 0) + level_at(start, series, r.end) - level_at(start, series, r.start)
            found[tuple(reversed(path))] = (peak, growth)
    return found


# GPU metrics: a sample tells of the time since the one before it.

def metrics(run):
    """(GPU's number, name) -> [(start, end, value)]."""
    make(run.db, "sample", "GPU_METRICS", {"time": "coalesce(s.timestamp, s.start)", "type": "s.typeId", "metric": "s.metricId",
                                           "value": "s.value"})
    make(run.db, "metric", "TARGET_INFO_GPU_METRICS", {"type": "s.typeId", "metric": "s.metricId", "name": "s.metricName"})
    found = defaultdict(list)
    for gpu, name, time, value in run.db.execute(
            "SELECT m.type & 255, m.name, s.time, s.value FROM sample s JOIN metric m ON m.type = s.type AND m.metric = s.metric "
            "ORDER BY s.time"):
        found[gpu, name].append((time, value))
    return {key: [(a[0], b[0], b[1]) for a, b in itertools.pairwise(samples)] for key, samples in found.items()}


def mean_over(pieces, spans):
    """(time-weighted mean or None, covered ns)."""
    weighted = covered = 0
    starts = [p[0] for p in pieces]
    for start, end in spans:
        for a, b, value in pieces[max(0, bisect.bisect_right(starts, start) - 1):bisect.bisect_left(starts, end)]:
            ns = min(b, end) - max(a, start)
            if ns > 0:
                weighted += value * ns
                covered += ns
    return (Fraction(weighted, covered) if covered else None), covered


def module_work(run):
    """(path of names, GPU row) -> union of the times of what was launched in it or below."""
    by_correlation, of_thread = calls(run.db), ranges_by_thread(run.db)
    gpu_of, found = gpu_of_process(run.db), defaultdict(list)
    for op in operations(run.db):
        call = by_correlation.get((op.process, op.correlation)) if op.correlation else None
        ranges = of_thread.get(call.tid, []) if call else []
        last = bisect.bisect_right(ranges, call.start, key=lambda r: r.start) - 1 if call else -1
        i, path = around(ranges, call.end, last) if call else None, []
        while i is not None:
            path.append(re.sub("[0-9]+", "#", ranges[i].name))
            i = ranges[i].parent
        path.reverse()
        for depth in range(1, len(path) + 1):
            found[tuple(path[:depth]), gpu_of(op.process, op.device)].append((op.start, op.end))
    return {key: union(spans) for key, spans in found.items()}
