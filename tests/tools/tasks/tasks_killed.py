#!/usr/bin/env python3
"""Kills `sonde serve` 30 times while tasks are submitted and run: no accepted task is lost, and none runs twice."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "shared"))
import _task_kills

KILLS = 30

if __name__ == "__main__":
    try:
        tasks = _task_kills.run(KILLS, seed=1)
    except AssertionError as error:
        sys.exit(f"FAIL {error}")
    print(f"ok   {KILLS} kills, {tasks} tasks")
