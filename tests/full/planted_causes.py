#!/usr/bin/env python3
"""Runs tests/tools/profiles/planted_causes.py on 20 seeds of each program and plant."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tools/profiles"))
import planted_causes

FIRST = int(sys.argv[1]) if len(sys.argv) > 1 else 100

sys.exit(planted_causes.check(range(FIRST, FIRST + 20), 0.95))
