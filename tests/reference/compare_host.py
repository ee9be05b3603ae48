"""Compares what Sonde prints of threads, OS calls, libraries, memory and GPU metrics with host_tables.py, cell by cell."""

import gzip
import json
import re
import sys
from decimal import Decimal

import compare
import host_tables as reference
import pytorch_json

TOLERANCE = 1e-9  # of means and slopes, which are not whole numbers


def printed(report, path):
    """Rows of a report as dictionaries, without the units of the columns where those are times."""
    result = compare.run_sonde("stats", "-q", "-r", report, "-f", "json", path)
    if result.returncode != 0:
        raise RuntimeError(f"sonde stats -r {report}: {result.stderr.strip()}")
    return [{key.removesuffix(" (ns)").removesuffix(" (bytes)"): value for key, value in row.items()}
            for row in json.loads(result.stdout or "[]")]


class Checker:
    """Counts cells, and keeps what differs."""

    def __init__(self):
        self.cells, self.problems = 0, []

    def same(self, where, found, wanted, tolerance=0.0):
        self.cells += 1
        if wanted is None or found is None:
            equal = wanted is None and found is None
        elif isinstance(wanted, (set, frozenset)):
            equal = found in wanted
        elif isinstance(wanted, str):
            equal = found == wanted
        else:
            equal = abs(found - wanted) <= tolerance * max(1, abs(wanted))
        if not equal:
            self.problems.append(f"{where}: {found}, expected {wanted if isinstance(wanted, (str, set)) or wanted is None else float(wanted)}")

    def keys(self, where, found, wanted):
        self.cells += 1
        if set(found) != set(wanted):
            self.problems.append(f"{where}: only in Sonde {set(found) - set(wanted)}, only expected {set(wanted) - set(found)}")
        return set(found) & set(wanted)


def key_of_thread(tid):
    return tid >> 24 & 0xFFFFFF, tid & 0xFFFFFF


def check_threads(run, path, check):
    wanted = {key_of_thread(tid): figures for tid, figures in reference.threads(run).items()}
    found = {(row["Pid"], row["Tid"]): row for row in printed("thread_sum", path)}
    for key in check.keys("threads", found, wanted):
        for name, value in wanted[key].items():
            if name == "Top Wait" and not value:
                value = None
            check.same(f"thread {key} {name}", found[key][name], value)


def check_cores(run, path, check):
    wanted = reference.cores(run)
    found = {row["Core"]: row for row in printed("cpu_core_sum", path)}
    for core in check.keys("cores", found, wanted):
        for name, value in zip(("Running", "Switches", "Threads"), wanted[core]):
            check.same(f"core {core} {name}", found[core][name], value)


def check_os_calls(run, path, check):
    wanted = {(kind, *key_of_thread(tid)): figures for (kind, tid), figures in reference.os_call_groups(run).items()}
    found = {(row["Kind"], row["Pid"], row["Tid"]): row for row in printed("osrt_kind_sum", path)}
    for key in check.keys("OS calls", found, wanted):
        for name, value in wanted[key].items():
            check.same(f"{key} {name}", found[key][name], value)


def check_back_traces(run, path, check):
    wanted = {(kind, *key_of_thread(tid)): texts for (kind, tid), texts in reference.back_traces(run).items()}
    for row in printed("osrt_kind_sum", path):
        key = row["Kind"], row["Pid"], row["Tid"]
        check.same(f"{key} Back Trace", row["Back Trace"], wanted.get(key))


def check_libraries(run, path, check):
    wanted = reference.library_calls(run)
    found = {(row["Library"], row["Name"]): row for row in printed("library_call_sum", path)}
    for key in check.keys("library calls", found, wanted):
        total, count, device, operations = wanted[key]
        for name, value in (("Total Time", total), ("Num Calls", count), ("GPU Ops", operations)):
            check.same(f"{key} {name}", found[key][name], value)
        # A share is rounded to less than a nanosecond an operation.
        check.cells += 1
        if abs(found[key]["Device Time"] - device) > operations:
            check.problems.append(f"{key} Device Time: {found[key]['Device Time']}, expected {float(device)}")


def check_levels(wanted, path, steps, check):
    """`wanted`: what host_tables.levels() gives, by (kind, GPU's name or None). `steps`: ends of the last steps, or None."""
    found = {(row["Memory"], row["GPU"] or None): row for row in printed("memory_usage_sum", path)}
    for key in check.keys("memory", found, wanted):
        start, series, allocations, releases, kept = wanted[key]
        row = found[key]
        peak = max(start, *(level for _, level in series))
        when = None if peak == start else next(time for time, level in series if level == peak)
        for name, value in (("First", start), ("Peak", peak), ("Peak Time", when), ("Last", series[-1][1]),
                            ("Allocations", allocations), ("Releases", releases), ("Not Released Size", kept)):
            check.same(f"{key} {name}", row[name], value)
        if steps and row["Steps"]:
            at_ends = [reference.level_at(start, series, end) for end in steps[-row["Steps"]:]]
            check.same(f"{key} Step Growth", row["Step Growth"], reference.slope(at_ends), 0.05)
    rows = printed("memory_usage_trace", path)
    by_place = {}
    for row in rows:
        by_place.setdefault((row["Memory"], row["GPU"] or None), []).append((row["Start"], row["In Use"]))
    for key in check.keys("memory over time", by_place, wanted):
        check.cells += len(by_place[key])
        if by_place[key] != wanted[key][1]:
            check.problems.append(f"{key} over time differs")


def steps_of(run, name):
    """(start, end) of the ranges of that name, on the thread where they took longest."""
    of_thread = {}
    for tid, start, end, text in run.db.execute(
            "SELECT tid, start, end, text FROM nvtx_event WHERE type = 59 AND end IS NOT NULL ORDER BY start"):
        if re.sub("[0-9]+", "#", text) == name:
            of_thread.setdefault(tid, []).append((start, end))
    return max(of_thread.values(), key=lambda spans: sum(end - start for start, end in spans), default=[])


def gpu_name(run, place):
    kind, gpu = place
    numbers = dict(run.db.execute("SELECT gpu, id FROM device"))
    return kind, None if gpu is None else f"GPU {gpu[1] if isinstance(gpu, tuple) else numbers[gpu]}"


def check_module_memory(run, path, check):
    wanted = reference.range_memory(run)
    for place, row in modules(path).items():
        peak, growth = wanted[place]
        check.same(f"{place} Memory Peak", row["Memory Peak (bytes)"], peak)
        check.same(f"{place} Memory Growth", row["Memory Growth (bytes)"], growth)


def modules(path):
    """Path of names -> row of `sonde modules`."""
    result = compare.run_sonde("modules", "--min-percent", "0", "-q", "-f", "json", path)
    stack, found = [], {}
    for row in json.loads(result.stdout):
        if row["Calls"] is not None:
            stack[row["Level"]:] = [re.sub("[0-9]+", "#", row["Module"])]
            found[tuple(stack)] = row
    return found


def check_metrics(run, path, step, check):
    pieces = {(f"GPU {gpu}", name): found for (gpu, name), found in reference.metrics(run).items()}
    found = {(row["GPU"], row["Metric"]): row for row in printed("gpu_metric_step_sum", path)}
    steps = steps_of(run, step)
    for key in check.keys("metrics", found, [key for key, series in pieces.items() if series]):
        row = found[key]
        whole = [(pieces[key][0][0], pieces[key][-1][1])]
        check.same(f"{key} Run Avg", row["Run Avg"], reference.mean_over(pieces[key], whole)[0], 0.006)
        means = [reference.mean_over(pieces[key], [span])[0] for span in steps[-row["Steps"]:]] if row["Steps"] else []
        for name, value in (("Step Avg", sum(means) / len(means) if means else None), ("Step Min", min(means, default=None)),
                            ("Step Max", max(means, default=None))):
            check.same(f"{key} {name}", row[name], value, 0.006)
    work = reference.module_work(run)
    numbers = {gpu: f"GPU {number}" for gpu, number in run.db.execute("SELECT gpu, id FROM device")}
    expected = {}
    for (place, gpu), spans in work.items():
        for (gpu_of_metric, name), series in pieces.items():
            if numbers.get(gpu) == gpu_of_metric:
                mean, _ = reference.mean_over(series, spans)
                expected.setdefault((place[-1], len(place) - 1, gpu_of_metric, name), set()).add(
                    (sum(e - s for s, e in spans), round(float(mean), 2) if mean is not None else None))
    for row in printed("gpu_metric_module_sum:rows=-1", path):
        key = (re.sub("[0-9]+", "#", row["Module"]), row["Level"], row["GPU"], row["Metric"])
        check.cells += 1
        if not any(ns == row["GPU Time"] and abs(mean - row["Avg"]) < 0.011 for ns, mean in expected.get(key, ())):
            check.problems.append(f"{key}: {row['GPU Time']} ns, {row['Avg']}, expected {expected.get(key)}")


def check_nsys(path, step=None, export=None):
    """The Checker of one nsys profile; `step` names the ranges that repeat as steps, their numbers as '#'; `export` is the
    SQLite export to compute from where the profile is a report."""
    run, check = reference.Run(export or path), Checker()
    check_threads(run, path, check)
    check_cores(run, path, check)
    check_os_calls(run, path, check)
    check_back_traces(run, path, check)
    check_libraries(run, path, check)
    memory = {gpu_name(run, place): found for place, found in reference.levels(reference.nsys_memory(run)).items()}
    if memory:
        check_levels(memory, path, [end for _, end in steps_of(run, step)] if step else None, check)
        check_module_memory(run, path, check)
    check_metrics(run, path, step, check)
    return check


def check_single_calls(entries, wanted, origin, path, check):
    """Memory columns of modules that were called once and whose name one event has, wherever they stand in the tree."""
    spans = {}
    for e in entries:
        if e.get("cat") in ("user_annotation", "cpu_op", "python_function") and "dur" in e:
            start = pytorch_json.nanoseconds(e["ts"]) - origin
            spans.setdefault(e["name"], []).append((start, start + pytorch_json.nanoseconds(e["dur"])))
    levels = [(start, series) for (kind, _), (start, series, *_) in wanted.items() if kind == "Device"]
    result = compare.run_sonde("modules", "--min-percent", "0", "--exact-names", "-q", "-f", "json", path)
    for row in json.loads(result.stdout):
        name = row["Module"]
        if row["Calls"] != 1 or len(spans.get(name, ())) != 1:
            continue
        begin, end = spans[name][0]
        inside = [max([reference.level_at(start, series, begin), *(level for time, level in series if begin <= time <= end)])
                  for start, series in levels]
        grown = [reference.level_at(start, series, end) - reference.level_at(start, series, begin) for start, series in levels]
        # At the very start only what is left after all events of that nanosecond counts.
        at_start = [any(time == begin for time, _ in series) for _, series in levels]
        if not any(at_start):
            check.same(f"{name} Memory Peak", row["Memory Peak (bytes)"], max(inside))
        check.same(f"{name} Memory Growth", row["Memory Growth (bytes)"], sum(grown))


def check_pytorch(path, origin_of):
    """The Checker of a PyTorch trace's memory; `origin_of` gives Sonde's time 0 in the trace's nanoseconds."""
    opener = gzip.open if str(path).endswith(".gz") else open
    with opener(path, "rb") as file:
        entries = json.loads(file.read(), strict=False, parse_float=Decimal)["traceEvents"]
    check = Checker()
    events = reference.pytorch_memory(entries, pytorch_json.nanoseconds)
    if events:
        origin = origin_of(entries)
        events = [(time - origin, *rest) for time, *rest in events]
        wanted = {(kind, None if gpu is None else f"GPU {gpu}"): found
                  for (kind, gpu), found in reference.levels(events).items()}
        steps = sorted((pytorch_json.nanoseconds(e["ts"]) - origin, pytorch_json.nanoseconds(e["ts"] + e["dur"]) - origin)
                       for e in entries if e.get("cat") == "user_annotation" and re.match("ProfilerStep#", e["name"]))
        check_levels(wanted, path, [end for _, end in steps], check)
        check_single_calls(entries, wanted, origin, path, check)
    return check


def report(name, check):
    """Prints a line; returns how many problems there were."""
    print(f"{'DIFFERS' if check.problems else 'ok':8}{name}  {check.cells} cells", flush=True)
    for text in check.problems[:20]:
        print("    " + text[:600])
    return len(check.problems)


def exit_of(cells, problems):
    print(f"{cells} cells compared, {problems} differ")
    sys.exit(1 if problems or not cells else 0)
