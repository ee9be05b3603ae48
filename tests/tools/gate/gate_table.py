#!/usr/bin/env python3
"""Checks docs/gate/gate.md with fewer comparisons than its table has (the full tests make those): the gate's false
alarms are few, those of the usual methods without it are many."""

import os
import subprocess
import sys
from pathlib import Path

COMPARISONS = 8
MOST = 1  # of 8 comparisons with a rate of half a percent: more have a chance of 1 in 1,400

run = subprocess.run([Path(os.environ["TEST_TOOLS"]) / "gate_table", str(COMPARISONS)], capture_output=True, text=True,
                     check=False)  # fmt: skip
rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in run.stdout.splitlines()[2:]]
failures = []
for between, runs, test, rate, *_ in rows:
    alarms = float(rate.removesuffix(" %")) / 100 * COMPARISONS
    if test.startswith("gate") and alarms > MOST:
        failures.append(f"{test}, {between}, {runs} runs a side: {alarms:.0f} false alarms")
    if "5 %" in test and alarms < COMPARISONS / 2:
        failures.append(f"{test}, {between}, {runs} runs a side: only {alarms:.0f} false alarms")
if len(rows) != 20:
    failures.append(f"{len(rows)} rows, not 20\n{run.stdout}{run.stderr}")
print("\n".join(failures) or "few false alarms of the gate, many of the others")
sys.exit(1 if failures else 0)
