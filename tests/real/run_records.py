#!/usr/bin/env python3
"""Checks the gate's record of every real profile.

Timelines: busy plus idle time of all GPUs is the extent times the number of GPUs, and shares of work sum to the busy
time, to the nanosecond. Runs without steps count the calls that `sonde stats -r cuda_api_sum` counts. For Nsight's
exports, SQLite reads calls, kernels by name and registers a second time. Kernel reports: durations and registers are
the metrics of the report. A record that is written, read and written again is the same, and matches
docs/schemas/record.schema.json.

usage: SONDE_TEST_DATA=FOLDER SONDE=PROGRAM TEST_TOOLS=FOLDER run_records.py [PART OF A FILE'S NAME...]
"""

import collections
import json
import os
import pathlib
import sqlite3
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "tools/shared"))
sys.path.insert(0, str(HERE.parent / "reference"))

import compare
from _schema import load, violations

TOOL = pathlib.Path(os.environ.get("TEST_TOOLS", "build/release/tests/tools")) / "dump_record"
SCHEMA = load("record.schema.json")
FOLDERS = ("nsys_sqlite", "nsys_rep", "kineto", "ncu_rep", "ncu_csv")
LONGEST_BYTES = 1_000_000  # of a record: several of them live in git


def dumped(path):
    return subprocess.run([TOOL, path], check=True, capture_output=True).stdout


def total(rows, key):
    return sum(row[key] for row in rows)


def sum_failures(record):
    gpus, busy = record.get("gpus", []), total(record.get("gpus", []), "busy_ns")
    idle, shares = total(record.get("idle", []), "ns"), total(record.get("work", []), "share_ns")
    if shares != busy:
        yield f"shares {shares} ns, busy {busy} ns"
    if busy + idle != record["extent_ns"] * len(gpus):
        yield f"busy {busy} and idle {idle} ns are not {len(gpus)} x {record['extent_ns']} ns"
    for gpu in gpus:
        if not 0 <= gpu.get("exposed_communication_ns", 0) <= gpu.get("communication_ns", 0) <= gpu["busy_ns"]:
            yield f"{gpu['place']}: communication"


def steps_of(row, key, count):
    value = row.get(key, 0)
    return [value] * count if isinstance(value, int) else value


def step_failures(record):
    """Where all steps are kept, those of a group add up to it."""
    count = len(record.get("step_ns", []))
    if count == 0 or count != record["steps"]:
        return
    if sum(record["step_ns"]) != record["extent_ns"]:
        yield "steps do not fill the extent"
    for row in record.get("work", []) + record.get("calls", []):
        if sum(steps_of(row, "step_count", count)) != row["count"]:
            yield f"{row.get('name')}: steps have another count"
        if sum(steps_of(row, "step_duration_ns", count)) != row["duration_ns"]:
            yield f"{row.get('name')}: steps have another duration"
    for gpu in record.get("gpus", []):
        if sum(steps_of(gpu, "step_busy_ns", count)) != gpu["busy_ns"]:
            yield f"{gpu['place']}: steps have another busy time"


def stats_failures(path, record):
    result = compare.run_sonde("stats", "-q", "-r", "cuda_api_sum", "-f", "json", path)
    rows = json.loads(result.stdout or "[]") if result.returncode == 0 else []
    calls = record.get("calls", [])
    mine = (total(calls, "count"), total(calls, "duration_ns"))
    theirs = (total(rows, "Num Calls"), total(rows, "Total Time (ns)"))
    if mine != theirs:
        yield f"calls and their time {mine}, of cuda_api_sum {theirs}"


def sql_rows(path, statement):
    with sqlite3.connect(f"file:{path}?mode=ro", uri=True) as database:
        tables = {name for (name,) in database.execute("select name from sqlite_master")}
        return list(database.execute(statement)) if "CUPTI_ACTIVITY_KIND_KERNEL" in tables else []


def sql_failures(path, record):
    """Kernels with their registers and launches, and bytes of copies."""
    theirs = {(name, registers): count for name, registers, count in sql_rows(path, """
        select value, registersPerThread, count(*) from CUPTI_ACTIVITY_KIND_KERNEL k join StringIds s
        on s.id = k.demangledName group by 1, 2""")}
    mine = collections.Counter()
    for shape in record.get("shapes", []):
        mine[shape["kernel"], shape.get("registers_per_thread")] += shape["count"]
    if mine != theirs:
        yield f"kernels with registers {dict(mine.items() - theirs.items())} here, {dict(theirs.items() - mine.items())} in the file"
    copied = sum(work.get("bytes", 0) for work in record.get("work", []) if work["kind"] == "copy")
    try:
        (there,), = sql_rows(path, "select coalesce(sum(bytes), 0) from CUPTI_ACTIVITY_KIND_MEMCPY") or [(0,)]
    except sqlite3.OperationalError:
        there = 0
    if copied != there:
        yield f"{copied} bytes copied, {there} in the file"


def columns_of(path, *columns):
    """Each launch's name and metrics as the report stores them (tests/real/ncu_rep.py checks those)."""
    result = compare.run_sonde("kernels", path, "-q", "-f", "json", "--group-by", "launch", "--columns", ",".join(columns))
    return [list(row.values()) for row in json.loads(result.stdout)] if result.returncode == 0 else []


def report_failures(path, record):
    durations, registers = collections.defaultdict(list), collections.defaultdict(set)
    for name, duration in columns_of(path, "name", "gpu__time_duration.sum"):
        durations[name].append(duration)
    for name, count in columns_of(path, "name", "launch__registers_per_thread"):
        registers[name].add(count)
    for measure in record["measures"]:
        mine, theirs = sorted(measure.get("duration_ns", [])), sorted(durations[measure["kernel"]])
        if len(mine) != len(theirs) or any(abs(a - b) > 1 for a, b in zip(mine, theirs)):
            yield f"{measure['kernel']}: {mine} ns, in the report {theirs}"
    for shape in record["shapes"]:
        theirs = registers.get(shape["kernel"], {None})
        if shape.get("registers_per_thread") not in theirs:
            yield f"{shape['kernel']}: {shape.get('registers_per_thread')} registers, in the report {theirs}"


def failures_of(path, text):
    record = json.loads(text)
    yield from violations(record, SCHEMA)
    if len(text) > LONGEST_BYTES:
        yield f"{len(text)} bytes"
    if record["conditions"]["kind"] == "kernel report":
        yield from report_failures(path, record)
        return
    yield from sum_failures(record)
    yield from step_failures(record)
    if record["steps"] == 0:
        yield from stats_failures(path, record)
        if path.suffix == ".sqlite":
            yield from sql_failures(path, record)


def comes_back(text):
    with tempfile.NamedTemporaryFile(suffix=".json") as file:
        file.write(text)
        file.flush()
        return dumped(file.name) == text


def main():
    data = os.environ.get("SONDE_TEST_DATA")
    if not data:
        print("SONDE_TEST_DATA does not name a folder with profiles")
        return 77
    paths = [path for folder in FOLDERS for path in sorted((pathlib.Path(data) / folder).iterdir())
             if not path.name.endswith("_base.csv") and (not sys.argv[1:] or any(a in path.name for a in sys.argv[1:]))]
    failed = 0
    for path in paths:
        text = dumped(path)
        failures = list(failures_of(path, text)) + ([] if comes_back(text) else ["is not the same when read again"])
        print(f"{'DIFFERS' if failures else 'ok':8}{path.name}  {len(text) / 1000:.0f} KB")
        for failure in failures:
            print("    " + failure[:1000])
        failed += bool(failures)
    print(f"{len(paths)} profiles, {failed} differ")
    return 1 if failed or not paths else 0


if __name__ == "__main__":
    sys.exit(main())
