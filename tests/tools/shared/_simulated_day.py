"""Checks a simulated day from the program's output alone: which attempt was on which GPU at what time, and how each
task ended."""

import csv
import json
import math
import os
import subprocess
import tempfile
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
DAY = ROOT / "tests/tools/tasks/simulate/day.yaml"
SLOTS = 8  # gpu.multi_gpu.max_concurrent_tasks_per_gpu
QUEUE_TIMEOUT_S = 3600
EXPERIENCE = 20  # measured tasks of a type, from which on at most 1 in 100 may run out of memory


def simulate(seed, strategies, workload=DAY, *options):
    """The document, the tasks and the intervals of each strategy."""
    with tempfile.TemporaryDirectory() as folder:
        tasks, intervals = Path(folder) / "tasks.csv", Path(folder) / "intervals.csv"
        command = [os.environ["SONDE"], "simulate", "--workload", workload, "--seed", str(seed), "--strategy", strategies,
                   "--format", "json", "--tasks", tasks, "--intervals", intervals, *options]  # fmt: skip
        run = subprocess.run(command, capture_output=True, text=True, check=False)
        if run.returncode != 0:
            raise SystemExit(f"sonde simulate ended with {run.returncode}: {run.stderr}")
        by_strategy = defaultdict(lambda: ([], []))
        for place, file in enumerate((tasks, intervals)):
            with file.open(newline="", encoding="utf-8") as lines:
                for row in csv.DictReader(lines):
                    by_strategy[row["strategy"]][place].append(row)
    return json.loads(run.stdout), by_strategy


def number(text):
    return float(text) if text else None


def too_much_at_once(intervals):
    """Sums over each GPU at each start: memory kept and held at its end, and tasks."""
    by_gpu = defaultdict(list)
    for row in intervals:
        start, end = number(row["start_s"]), number(row["end_s"])
        by_gpu[row["gpu"]] += [(start, 1, row), (end, 0, row)]  # what ends at a moment makes room for what starts
    for gpu, changes in by_gpu.items():
        tasks = reserved = 0
        for moment, starts, row in sorted(changes, key=lambda change: change[:2]):
            sign = 1 if starts else -1
            tasks += sign
            reserved += sign * int(row["reserved_bytes"])
            if tasks > SLOTS:
                yield f"GPU {gpu} has {tasks} tasks at {moment} s"
            if reserved > int(row["gpu_memory_bytes"]):
                yield f"GPU {gpu} keeps {reserved} bytes of {row['gpu_memory_bytes']} at {moment} s"
        if tasks or reserved:
            yield f"GPU {gpu} keeps something for ever"


def broken_gangs(tasks, intervals):
    needed = {row["task"]: int(row["gpus"]) for row in tasks}
    attempts = defaultdict(list)
    for row in intervals:
        attempts[row["task"], row["attempt"]].append(row)
    for (task, attempt), rows in attempts.items():
        gpus = {row["gpu"] for row in rows}
        times = {(row["start_s"], row["end_s"]) for row in rows}
        if len(gpus) != needed[task] or len(rows) != needed[task] or len(times) != 1:
            yield f"attempt {attempt} of task {task} had {len(rows)} places on {len(gpus)} GPUs, {needed[task]} were needed"


def starved(tasks):
    for row in tasks:
        if not row["started_s"] and row["cause"] != "queue_timeout":
            yield f"task {row['task']} never started: {row['state']}, {row['cause']}"
        elif row["started_s"] and number(row["started_s"]) - number(row["ready_s"]) > QUEUE_TIMEOUT_S:
            yield f"task {row['task']} started after more than queue_timeout"
        if row["state"] not in ("succeeded", "failed", "cancelled"):
            yield f"task {row['task']} is {row['state']} in the end"
    out = sum(row["cause"] == "queue_timeout" for row in tasks)
    if out > len(tasks) / 100:
        yield f"{out} of {len(tasks)} tasks waited for queue_timeout"


def memory_account(tasks, intervals):
    """Attempts with learned memory, once 20 of the type had ended well: all, out of memory, held more than was kept."""
    type_of = {row["task"]: row["type"] for row in tasks}
    ends = defaultdict(list)
    for row in intervals:
        if row["cause"] == "exit":
            ends[type_of[row["task"]]].append(number(row["end_s"]))
    known_from = {kind: sorted(of)[EXPERIENCE] for kind, of in ends.items() if len(of) > EXPERIENCE}
    rows = [row for row in intervals if row["memory_source"] == "learned"
            and number(row["start_s"]) >= known_from.get(type_of[row["task"]], math.inf)]  # fmt: skip
    out = sum(row["cause"] == "out_of_memory" for row in rows)
    more = sum(int(row["held_bytes"]) > int(row["reserved_bytes"]) for row in rows)
    return len(rows), out, more


def coverage(tasks):
    said = [row for row in tasks if row["earliest_s"] and row["started_s"]]
    held = sum(number(row["earliest_s"]) <= number(row["started_s"]) <= number(row["latest_s"]) for row in said)
    return len(said), held


def nearest_rank(values, share):
    return sorted(values)[max(1, math.ceil(share * len(values))) - 1]


def other_figures(said, tasks, intervals):
    """What the document says otherwise than its own lists come to."""
    waits = [number(row["started_s"]) - number(row["ready_s"]) for row in tasks if row["started_s"]]
    figures = {"median_seconds": nearest_rank(waits, 0.5), "p90_seconds": nearest_rank(waits, 0.9),
               "p99_seconds": nearest_rank(waits, 0.99), "longest_seconds": max(waits)}  # fmt: skip
    for name, figure in figures.items():
        if abs(said["waits"][name] - figure) > 1e-6:
            yield f"{name}: {said['waits'][name]}, the list has {figure}"
    made, held = coverage(tasks)
    attempts = {(row["task"], row["attempt"]): row["cause"] for row in intervals}
    pairs = {"forecasts": (said["forecasts"]["made"], made), "in range": (said["forecasts"]["in_range"], held),
             "succeeded": (said["succeeded"], sum(row["state"] == "succeeded" for row in tasks)),
             "attempts": (said["memory"]["attempts"], len(attempts)),
             "out of memory": (said["memory"]["out_of_memory"], list(attempts.values()).count("out_of_memory"))}  # fmt: skip
    for name, (says, has) in pairs.items():
        if says != has:
            yield f"{name}: {says}, the lists have {has}"


def failures_of(said, tasks, intervals):
    yield from too_much_at_once(intervals)
    yield from broken_gangs(tasks, intervals)
    yield from starved(tasks)
    yield from other_figures(said, tasks, intervals)
    if said["left"] or said["cut_off"]:
        yield f"{said['left']} tasks were not over in the end"
    known, out, more = memory_account(tasks, intervals)
    if known == 0 or out > known / 100 or more > known / 100:
        yield f"of {known} attempts of known types {out} ran out of memory, {more} took more than was kept"
    made, held = coverage(tasks)
    if made < 100 or not 0.75 <= held / made <= 0.90:
        yield f"{held} of {made} starts were in their range"
