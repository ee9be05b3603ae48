#!/usr/bin/env python3
"""Simulates two days of mixed tasks, with bursts of high priority: no task starves, no GPU is allocated twice, gangs
get all their GPUs or none and never wait for each other, learned memory suffices, and starts are within the predicted
ranges. The full tests simulate more days and all strategies."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "shared"))
from _simulated_day import coverage, failures_of, memory_account, simulate

failures = []
for seed, strategies in ((1, "least_loaded,memory_optimized"), (2, "round_robin")):
    document, lists = simulate(seed, strategies)
    again, same = simulate(seed, strategies)
    if document != again or lists != same:
        failures.append(f"seed {seed} does not come to the same twice")
    for said in document["strategies"]:
        tasks, intervals = lists[said["strategy"]]
        failures += [f"seed {seed}, {said['strategy']}: {line}" for line in failures_of(said, tasks, intervals)][:20]
        made, held = coverage(tasks)
        known, out, more = memory_account(tasks, intervals)
        print(f"seed {seed}, {said['strategy']}: {len(tasks)} tasks, {held} of {made} starts in range, {out} of {known} "
              f"attempts of known types out of memory, {more} above what was kept")  # fmt: skip
print("\n".join(failures) or "the account of each day holds")
sys.exit(1 if failures else 0)
