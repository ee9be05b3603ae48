#!/usr/bin/env python3
"""`sonde serve` is killed 30 times while tasks come in and run: no accepted task is lost, none runs twice."""

import sys

import _task_kills

KILLS = 30

if __name__ == "__main__":
    try:
        tasks = _task_kills.run(KILLS, seed=1)
    except AssertionError as error:
        sys.exit(f"FAIL {error}")
    print(f"ok   {KILLS} kills, {tasks} tasks")
