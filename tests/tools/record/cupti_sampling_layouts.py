#!/usr/bin/env python3
"""Checks that the injected library's declarations of CUPTI's PM sampling match NVIDIA's headers. Skipped if the build
found no CUDA 12.6 or later."""

import os
import subprocess
import sys
from pathlib import Path

program = Path(os.environ["TEST_TOOLS"]) / "cupti_sampling_layouts"
if not program.exists():
    print("skipped: there are no headers of CUPTI's PM sampling on this machine to compare with")
    sys.exit(77)
sys.exit(subprocess.run([program], check=False).returncode)
