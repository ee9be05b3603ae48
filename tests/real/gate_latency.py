#!/usr/bin/env python3
"""Compares the gate's percentiles of steps and ranges with those computed by SQL from nsys' own databases.

usage: SONDE_TEST_DATA=FOLDER TEST_TOOLS=FOLDER [SONDE=PROGRAM] gate_latency.py [PART OF A FILE'S NAME...]

The steps are found in the database as the range whose starts are as far apart as the record's steps. Ranges count from the first
of these steps to the end of the last. Exits 77 (skipped) without profiles. Files without such a range are named and not
compared.
"""

import collections
import json
import os
import re
import sqlite3
import subprocess
import sys
import tempfile
from pathlib import Path

SKIPPED = 77
SONDE = os.environ.get("SONDE", "build/release/sonde")
TOOLS = Path(os.environ.get("TEST_TOOLS", "build/release/tests/tools"))
RANGES = "eventType IN (59, 60, 70, 71) AND end IS NOT NULL"
PARTS = {"p50_ns": 0.5, "p95_ns": 0.95, "p99_ns": 0.99}
NEEDED = 20


def percentile(values, part):
    """Between neighbours on a line, as numpy.percentile does."""
    ascending = sorted(values)
    place = (len(ascending) - 1) * part
    below = int(place)
    above = ascending[min(below + 1, len(ascending) - 1)]
    return ascending[below] + (above - ascending[below]) * (place - below)


def ranges_of(path):
    """(start, end, thread) of each range by name, in order, with # for numbers."""
    database = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
    tables = {name for (name,) in database.execute("SELECT name FROM sqlite_master")}
    if "NVTX_EVENTS" not in tables:
        return {}
    has_id = "textId" in {column[1] for column in database.execute("PRAGMA table_info(NVTX_EVENTS)")}
    name = "coalesce(text, (SELECT value FROM StringIds WHERE id = textId))" if has_id else "text"
    found = collections.defaultdict(list)
    query = f"SELECT {name}, start, end, globalTid FROM NVTX_EVENTS WHERE {RANGES} ORDER BY start"
    for text, *span in database.execute(query):
        found[re.sub(r"[0-9]+", "#", text or "")].append(span)
    return found


def steps_in(ranges, record):
    """The record's steps as ranges of one name and thread; nothing where they are something else."""
    lengths = record.get("step_ns", [])
    by_thread = collections.defaultdict(list)
    for name, spans in ranges.items():
        for span in spans:
            by_thread[name, span[2]].append(span)
    for spans in by_thread.values():
        steady = spans[-record["steps"] :]
        apart = [b[0] - a[0] for a, b in zip(steady, steady[1:])] + [steady[-1][1] - steady[-1][0]]
        if lengths and apart[-len(lengths) :] == lengths:
            return steady
    return []


def near(a, b):
    return abs(a - b) <= 1e-6 * max(abs(a), abs(b), 1)


def step_problems(path, lengths):
    """Whether the 95th percentile lies between bounds just below and just above that of SQL."""
    if len(lengths) < NEEDED:
        return []
    value = percentile(lengths, 0.95)
    with tempfile.TemporaryDirectory() as folder:
        budget = Path(folder) / "budget.yaml"
        rules = [f"step_time_p95 >= {value - 1:.3f} ns", f"step_time_p95 <= {value + 1:.3f} ns"]
        budget.write_text(f"rules: {json.dumps(rules)}\n", encoding="utf-8")
        done = subprocess.run([SONDE, "gate", "--budget", budget, path], capture_output=True, text=True, check=False)
    return [] if done.returncode == 0 else [f"step_time_p95 is not {value} ns: {done.stdout}"]


def range_problems(record, ranges, begin, end):
    kept = {r["name"]: r for r in record.get("ranges", [])}
    problems = []
    for name, spans in ranges.items():
        values = [e - s for s, e, _ in spans if begin <= s < end]
        row = kept.pop(name, None)
        if bool(values) != bool(row) or (row and row["count"] != len(values)):
            problems.append(f"{name}: {row and row['count']} ranges, by SQL {len(values)}")
        elif row:
            wrong = [key for key, part in PARTS.items() if not near(row[key], percentile(values, part))]
            problems += [f"{name}: {key} is {row[key]}, by SQL {percentile(values, PARTS[key])}" for key in wrong]
    return problems + [f"{name} is not in the database" for name in kept]


def main():
    data = Path(os.environ.get("SONDE_TEST_DATA", "../shared/data"))
    checked = failures = 0
    for path in sorted((data / "nsys_sqlite").glob("*.sqlite")):
        if sys.argv[1:] and not any(part in path.name for part in sys.argv[1:]):
            continue
        ranges = ranges_of(path)
        record = json.loads(subprocess.run([TOOLS / "dump_record", path], capture_output=True, check=True).stdout)
        steps = steps_in(ranges, record)
        if not steps:
            print(f"{path.name}: not compared: its steps are no range")
            continue
        found = step_problems(path, record["step_ns"]) + range_problems(record, ranges, steps[0][0], steps[-1][1])
        checked += 1
        failures += bool(found)
        print(f"{path.name}: {len(steps)} steps, {len(record.get('ranges', []))} names: {'; '.join(found) or 'ok'}")
    print(f"{checked} profiles compared, {failures} with problems")
    return SKIPPED if not checked else 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
