#!/usr/bin/env python3
"""All of tests/real/nsys_rep_damage.py: 2,000 prefixes and 10,000 changes of each real report, some half an hour."""

import os
import subprocess
import sys
from pathlib import Path

script = Path(__file__).resolve().parents[1] / "real/nsys_rep_damage.py"
sys.exit(subprocess.run([sys.executable, script, *sys.argv[1:]], env=os.environ | {"SONDE_TEST_FULL": "1"}, check=False).returncode)
