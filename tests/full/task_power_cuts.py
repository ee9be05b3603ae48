#!/usr/bin/env python3
"""The power is cut 100 times under `sonde serve` and its tasks: no accepted task is lost, none that was reported as ended
runs again."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tools"))

import _task_power_cuts  # noqa: E402

if __name__ == "__main__":
    sys.exit(_task_power_cuts.main(cuts=100, seed=1000))
