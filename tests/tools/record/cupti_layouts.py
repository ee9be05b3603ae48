#!/usr/bin/env python3
"""Checks that the stand-in's records, kinds and calls, and the offsets from which the injected library reads fields,
match NVIDIA's headers. Skipped if the build found no headers."""

import os
import subprocess
import sys
from pathlib import Path

program = Path(os.environ["TEST_TOOLS"]) / "cupti_layouts"
if not program.exists():
    print("skipped: there are no headers of CUPTI on this machine to compare with")
    sys.exit(77)
sys.exit(subprocess.run([program], check=False).returncode)
