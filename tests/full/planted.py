#!/usr/bin/env python3
"""As tests/tools/planted.py, on 200 profiles."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tools"))
import _planted

sys.exit(_planted.check(_planted.measure(range(1, 21))))
