#!/usr/bin/env python3
"""The stand-in's records, kinds and calls, and what the injected library declares of PM sampling, are those of NVIDIA's
headers. Skipped where the build found none."""

import os
import subprocess
import sys
from pathlib import Path

tools = Path(os.environ["TEST_TOOLS"])
programs = [tools / name for name in ("cupti_layouts", "cupti_sampling_layouts") if (tools / name).exists()]
if not programs:
    print("skipped: there are no headers of CUPTI on this machine to compare with")
    sys.exit(77)
sys.exit(max(subprocess.run([program], check=False).returncode for program in programs))
