#!/usr/bin/env python3
"""The power is cut 10 times under `sonde serve` and its tasks: no accepted task is lost, none that was reported as ended
runs again."""

import sys

import _task_power_cuts

if __name__ == "__main__":
    sys.exit(_task_power_cuts.main(cuts=10, seed=1))
