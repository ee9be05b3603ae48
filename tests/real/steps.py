#!/usr/bin/env python3
"""The steps of `sonde why --json` on real files against their raw rows: ranges counted by name, launches compared with
those one period later, and the time from the first to the last GPU operation that ProfilerStep# ranges launched.

usage: SONDE_TEST_DATA=FOLDER [SONDE=PROGRAM] steps.py [PART OF A FILE'S NAME...]
"""

import json
import pathlib
import re
import sys
from collections import Counter

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "reference"))

import compare
import nsys_database
import pytorch_json

PERIOD = re.compile(r"(\d+) launches from |launch of ")
MOST_DIFFERENT = 0.05  # of launches and the same one period later
STEP_ERROR = 0.1  # of the time of all steps

# Files whose loop their authors mark or describe (README of the data), by part of the name: what the steps are called,
# and how many were recorded.
# The time of a last iteration without ranges is not known, nor is that of a first one which launches more.
KNOWN = {
    "sc21_": ("step #", 29),
    "power_iteration": ("Step # to #", 44),
    "vadd_serial": ("iteration", 100),
    "omp_sc23__report3": ("5 launches from ", 48),
    "omp_sc23__report4": ("launch of ", 49),
}
# Forward passes of models and single kernels: nothing of them is a step.
NONE = ("tracelens_b200", "tracelens_h100_bert", "tracelens_mi300", "hta_alexnet", "hta_triton", "managed_memory", "csl__")


def without_numbers(name):
    return re.sub(r"\d+", "#", name).replace("##", "#")


class Rows:
    """What a file holds, read without Sonde."""

    def __init__(self, path):
        read = self.of_export if path.suffix == ".sqlite" else self.of_trace
        self.launches, self.ranges = read(path)  # thread -> [(start, name, first, last)], label -> [(start, end, thread)]
        for launches in self.launches.values():
            launches.sort()

    def of_export(self, path):
        db = nsys_database.open_database(path)
        launches = {}
        for table, name in (("kernel", "coalesce(g.demangled, '')"), ("copy", "g.name"), ("memset", "g.name")):
            for thread, *row in db.execute(f"""SELECT a.tid, a.start, {name}, g.start, g.end FROM {table} g
                    JOIN api a ON a.correlation = g.correlation AND a.process = g.process"""):
                launches.setdefault(thread, []).append(tuple(row))
        ranges = {}
        for start, end, thread, name in db.execute("SELECT start, end, tid, name FROM nvtx"):
            ranges.setdefault(without_numbers(name.partition(":")[2]), []).append((start, end, thread))
        return launches, ranges

    def of_trace(self, path):
        events = pytorch_json.open_trace(path)
        key = lambda event: event.arguments.get("correlation", event.arguments.get("External id"))
        calls = {key(event): event for event in events if event.category in pytorch_json.CALLS}
        launches, ranges = {}, {}
        for event in events:
            gpu = event.category in pytorch_json.KERNELS | pytorch_json.COPIES | pytorch_json.SETS
            call = calls.get(key(event)) if gpu else None
            if call:
                launches.setdefault(call.tid, []).append((call.start, event.name, event.start, event.end))
            if event.category == "user_annotation" or event.name.startswith("ProfilerStep"):
                ranges.setdefault(without_numbers(event.name), []).append((event.start, event.end, event.tid))
        return launches, ranges


def check_range(rows, steps, label):
    """One thread has as many ranges of this name."""
    counts = Counter(thread for _, _, thread in rows.ranges.get(label, []))
    if steps["recorded"] not in counts.values():
        yield f"{steps}, but the threads have {dict(counts)} ranges of this name"


def zero_of(path, rows):
    """Time 0 of Sonde's clock on that of the raw rows."""
    summary = json.loads(compare.run_sonde("summary", "--json", path).stdout)
    first = min(first for launches in rows.launches.values() for _, _, first, _ in launches)
    return first - min(gpu["first_ns"] for gpu in summary["gpus"])


def check_launches(path, rows, document, period):
    """On one thread nearly every launch within the judged part is like that one period later."""
    zero = zero_of(path, rows)
    first, last = zero + document["judged"]["start_ns"], zero + document["judged"]["end_ns"]
    shares = []
    for launches in rows.launches.values():
        names = [name for start, name, _, _ in launches if first <= start < last]
        if len(names) > period:
            different = sum(a != b for a, b in zip(names, names[period:]))
            shares.append(different / (len(names) - period))
    if not shares or min(shares) > MOST_DIFFERENT:
        yield f"period {period}: {shares} of the launches differ from those one period later"


def check_time(rows, document, label):
    """The judged time is that of the GPU operations that the judged ranges launched."""
    ranges = sorted(rows.ranges[label])[-document["steps"]["judged"]:]
    begin, end = ranges[0][0], ranges[-1][1]
    work = [(first, last) for launches in rows.launches.values() for start, _, first, last in launches if begin <= start < end]
    wanted = max(last for _, last in work) - min(first for first, _ in work)
    if abs(document["wall_ns"] - wanted) > STEP_ERROR * wanted:
        yield f"judged {document['wall_ns']} ns, but the steps' operations take {wanted} ns"


def check(path):
    document = compare.why_as_recorded(path)
    steps = document.get("steps")
    found = []
    expected = next((value for part, value in KNOWN.items() if part in path.name), None)
    if expected and (not steps or expected[0] not in steps["range"] or steps["recorded"] != expected[1]):
        found.append(f"{steps}, expected {expected}")
    if steps and any(part in path.name for part in NONE):
        found.append(f"{steps}, expected none")
    if path.parent.name == "h100" and (not steps or steps["range"] != "ProfilerStep#"):
        found.append(f"{steps}, expected ProfilerStep#")
    readable = path.suffix == ".sqlite" or ".json" in path.name
    if steps and readable:
        rows = Rows(path)
        period = PERIOD.match(steps["range"])
        if period:
            found += check_launches(path, rows, document, int(period.group(1) or 1))
        elif not steps["range"].startswith("about "):
            found += check_range(rows, steps, steps["range"])
        if steps["range"] == "ProfilerStep#" and path.parent.name == "h100":
            found += check_time(rows, document, steps["range"])
    print(f"{'DIFFERS' if found else 'ok':8}{path.name}: {steps}")
    for line in found:
        print("    " + line[:600])
    return not found


def main():
    files = [path for folder in ("nsys_sqlite", "kineto", "h100", "pairs", "nsys_rep")
             for path in sorted(compare.data_folder(folder).iterdir())
             if path.name.endswith((".sqlite", ".json.gz", ".nsys-rep", ".qdrep"))]
    results = [check(path) for path in compare.selected(files)]
    print(f"{sum(results)} of {len(results)} files agree")
    return 0 if all(results) and results else 1


if __name__ == "__main__":
    sys.exit(main())
