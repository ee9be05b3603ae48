#!/usr/bin/env python3
"""Runs tests/tools/profiles/planted.py on 200 profiles with none, one, two and three problems
(docs/profiles/findings.md)."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tools/shared"))
import _planted

FIRST = int(sys.argv[1]) if len(sys.argv) > 1 else 2000

results = _planted.Results()
_planted.measure_drawn(results, range(FIRST, FIRST + 200))
sys.exit(_planted.check(results))
