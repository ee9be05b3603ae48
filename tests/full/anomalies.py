#!/usr/bin/env python3
"""Checks docs/serve/anomalies.md: what the detectors find in simulated fortnights, and their false alarms."""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

run = subprocess.run([Path(os.environ["TEST_TOOLS"]) / "anomaly_table"], capture_output=True, text=True, check=False)
print(run.stdout, run.stderr)
if run.returncode != 0:
    sys.exit("a fault is not found, or there is more than one false alarm a GPU and week")
if run.stdout not in (ROOT / "docs/serve/anomalies.md").read_text(encoding="utf-8"):
    sys.exit("docs/serve/anomalies.md states other numbers")
