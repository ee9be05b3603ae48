#!/usr/bin/env python3
"""Tests `sonde simulate --history`: a service on simulated GPUs runs tasks of every kind, and its history is simulated
with each strategy: the same tasks, at the same times, in their batches and after their dependencies."""

import csv
import json
import sqlite3
import subprocess
import sys
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "shared"))
from _serve import ROOT, SONDE, Service, run_all, until

GPUS = ROOT / "examples/simulated_four_gpus.yaml"
STRATEGIES = ["round_robin", "least_loaded", "memory_optimized", "task_specific", "random"]
CONFIG = """  tasks:
    types:
      brief: {command: [/bin/true], memory_bytes: 2GiB}
      pair: {command: [/bin/sleep, "0.2"], gpus: 2, simulated_memory_bytes: 4GiB}
      part: {command: [/bin/sleep, "0.1"], priority: low}
      host: {command: [/bin/sleep, "0.1"], gpus: 0}
      fail: {command: [/bin/false]}
      never: {command: [/nowhere/to/be/found]}
gpu:
  monitoring:
    interval: 0.2
"""
OVER = ("succeeded", "failed", "cancelled")


def same(found, wanted, what):
    if found != wanted:
        raise AssertionError(f"{what}: {found!r} where {wanted!r} was wanted")


def posted(service, path, body):
    status, made = service.call("POST", path, body, "submit")
    same(status, 201, path)
    return made["id"]


def run_tasks(service):
    """Five brief tasks, gangs, one after another, a batch, tasks without a GPU, and some that fail."""
    for kind, count in (("brief", 5), ("pair", 2), ("host", 2), ("fail", 2), ("never", 1)):
        for _ in range(count):
            last = posted(service, "/api/v1/tasks", {"type": kind})
    brief = posted(service, "/api/v1/tasks", {"type": "brief"})
    posted(service, "/api/v1/tasks", {"type": "brief", "after": [brief]})
    posted(service, "/api/v1/tasks", {"type": "brief", "after": [last]})  # which fails: this one never runs
    posted(service, "/api/v1/batches", {"tasks": [{"type": "part"}] * 8})

    def live():
        tasks = service.call("GET", "/api/v1/tasks?limit=100", role="read")[1]["tasks"]
        return len(tasks) == 23 and all(task["state"] in OVER for task in tasks)

    until(live, "the end of all tasks")


def kept(folder):
    """Of tasks.db, read with SQLite's own shell of Python: (type, submitted_ns, batch, id) of each task."""
    database = sqlite3.connect(f"file:{folder / 'tasks.db'}?mode=ro", uri=True)
    with database:
        rows = database.execute("SELECT type, submitted_ns, batch, id FROM tasks ORDER BY id").fetchall()
    database.close()
    return rows


def play(history, folder, strategy="all"):
    list_file = folder / "tasks.csv"
    command = [SONDE, "simulate", "--history", history, "--simulated", GPUS, "--strategy", strategy, "--format", "json",
               "--tasks", list_file, "--force-overwrite"]  # fmt: skip
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise AssertionError(f"it ended with {done.returncode}: {done.stderr}")
    with list_file.open(newline="", encoding="utf-8") as lines:
        return json.loads(done.stdout)["strategies"], list(csv.DictReader(lines))


def check_strategy(said, rows, tasks):
    """Of a type that never ran nobody knows how long it runs: it is left out."""
    known = [task for task in tasks if task[0] not in ("fail", "never")]
    same(Counter(row["type"] for row in rows), Counter(task[0] for task in known), "tasks by type")
    same((said["tasks"], said["left"], said["cut_off"]), (len(known), 0, False), said["strategy"])
    same(said["succeeded"], len(known), f"{said['strategy']}, succeeded")
    same(Counter(row["gpus"] for row in rows), Counter({"1": 16, "2": 2, "0": 2}), "tasks by GPUs")
    same(sum(row["batch"] != "0" for row in rows), 8, "tasks of the batch")
    first_ns = min(task[1] for task in tasks)
    came = [f"{(ns - first_ns) // 10**9}.{(ns - first_ns) % 10**9:09}" for _, ns, _, _ in known]
    same(sorted(row["submitted_s"] for row in rows), sorted(came), "when they came")


def what_ran_is_played_with_each_strategy():
    with Service("burst: 1000", CONFIG, ("--simulated", str(GPUS))) as service:
        run_tasks(service)
        state = service.path / "state"
        while_it_runs, _ = play(state, service.path)
        same(service.stop(), 0, "the service's end")
        tasks = kept(state)
        played, rows = play(state, service.path)
        same([said["strategy"] for said in played], STRATEGIES, "strategies")
        same(while_it_runs, played, "while the service runs")
        same(play(state / "tasks.db", service.path)[0], played, "named by its file")
        for said in played:
            check_strategy(said, [row for row in rows if row["strategy"] == said["strategy"]], tasks)
        same(kept(state), tasks, "what is kept after that")


def what_never_ran_is_told():
    with Service("burst: 1000", CONFIG, ("--simulated", str(GPUS))) as service:
        same(service.stop(), 0, "the service's end")
        command = [SONDE, "simulate", "--history", service.path / "state", "--simulated", GPUS]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        same(done.returncode, 1, "exit status")
        same("has no task with a known run time" in done.stderr, True, done.stderr)


if __name__ == "__main__":
    sys.exit(run_all([what_ran_is_played_with_each_strategy, what_never_ran_is_told]))
