"""Runs programs that compare declarations of CUPTI with NVIDIA's headers, if the build found those headers."""

import subprocess

from _recorded import TOOLS, check


def same_layouts(program, header):
    """Why it was skipped, or "ok"."""
    if not (TOOLS / program).exists():
        return f"skipped: no CUDA toolkit with {header} was there when this tree was configured"
    check(subprocess.run([TOOLS / program], check=False).returncode == 0, "CUPTI's structures")
    return "ok"
