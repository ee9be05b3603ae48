#!/usr/bin/env python3
"""Cuts the power of `sonde serve` and its tasks 100 times: no accepted task is lost, and no task that was reported as
finished runs again."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tools/shared"))

import _task_power_cuts  # noqa: E402

if __name__ == "__main__":
    sys.exit(_task_power_cuts.main(cuts=100, seed=1000))
