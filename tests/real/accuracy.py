#!/usr/bin/env python3
"""The run without the profiler's own cost against steps that were measured without a profiler, by the limits of
tools/make_accuracy.py."""

import os
import subprocess
import sys
from pathlib import Path

TOOL = Path(__file__).resolve().parents[2] / "tools/make_accuracy.py"

data = os.environ.get("SONDE_TEST_DATA")
if not data or not (Path(data) / "h100/truth.json").exists():
    print("needs h100/truth.json in SONDE_TEST_DATA: the measured truth of the programs there")
    sys.exit(77)
sonde = os.environ.get("SONDE", "build/release/sonde")
sys.exit(subprocess.run([TOOL, sonde, str(Path(data) / "h100"), "--check"], check=False).returncode)
