#!/usr/bin/env python3
"""Simulates twelve days with all strategies, and checks them as tests/tools/tasks/simulate.py does."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tools/shared"))
from _simulated_day import coverage, failures_of, memory_account, simulate

failures = []
for seed in range(1, 13):
    document, lists = simulate(seed, "all")
    for said in document["strategies"]:
        tasks, intervals = lists[said["strategy"]]
        failures += [f"seed {seed}, {said['strategy']}: {line}" for line in failures_of(said, tasks, intervals)][:20]
        made, held = coverage(tasks)
        known, out, more = memory_account(tasks, intervals)
        print(f"seed {seed}, {said['strategy']}: {held}/{made} in range, {out} and {more} of {known}")
print("\n".join(failures) or "the account of each day holds")
sys.exit(1 if failures else 0)
