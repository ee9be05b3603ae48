#!/usr/bin/env python3
"""Checks docs/gate/sessions.md: the false alarms against a stored baseline and the changes that it finds, in 10,000
histories (unit tests of SessionPrediction, which make fewer by default)."""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TESTS = Path(os.environ["TEST_TOOLS"]).parent / "sonde_unit_tests"

run = subprocess.run([TESTS, "--gtest_filter=SessionPrediction.*"], capture_output=True, text=True, check=False,
                     env=os.environ | {"SONDE_FULL_TESTS": "1"})  # fmt: skip
print(run.stdout, run.stderr)
if run.returncode != 0:
    sys.exit("the gate does not hold its limits")
rows = [line for line in run.stdout.splitlines() if line.startswith("| ")]
text = (ROOT / "docs/gate/sessions.md").read_text(encoding="utf-8")
if not rows or any(row not in text for row in rows):
    sys.exit("docs/gate/sessions.md states other numbers")
