#!/usr/bin/env python3
"""Checks the table of docs/serve/anomalies.md on two other seeds (the full tests make it again): each fault is found
within the longest delay of its detectors, and false alarms are about as rare as stated."""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
SEEDS = 2
FIRST = 7000
TIMES = 5  # as many false alarms as stated: in so few weeks they come in bunches


def rows(text):
    """Cells of the table's rows by their first cell."""
    lines = [line for line in text.splitlines() if line.startswith("| ") and not line.startswith("| fault")]
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    return {row[0]: row for row in cells if len(row) == 6}


stated = rows((ROOT / "docs/serve/anomalies.md").read_text(encoding="utf-8"))
run = subprocess.run([Path(os.environ["TEST_TOOLS"]) / "anomaly_table", str(SEEDS), str(FIRST)], capture_output=True,
                     text=True, check=False)  # fmt: skip
fresh = rows(run.stdout)
failures = []
if run.returncode != 0 or fresh.keys() != stated.keys():
    failures.append(f"rows {list(fresh)}, the page has {list(stated)}\n{run.stdout}{run.stderr}")
for name, row in fresh.items():
    says = stated.get(name, row)
    if row[1] not in ("-", "", f"{SEEDS} of {SEEDS}"):
        failures.append(f"{name}: found {row[1]}, the page says {says[1]}")
if "all" in fresh and "all" in stated:
    rate = float(stated["all"][4]) / float(stated["all"][5])
    alarms, weeks = float(fresh["all"][4]), float(fresh["all"][5])
    if alarms > TIMES * rate * weeks:
        failures.append(f"{alarms:.0f} false alarms in {weeks:.0f} GPU-weeks, the page has {rate:.3f} a GPU and week")
print("\n".join(failures) or f"as docs/serve/anomalies.md says\n{run.stdout}")
sys.exit(1 if failures else 0)
