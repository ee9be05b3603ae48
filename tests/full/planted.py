#!/usr/bin/env python3
"""Plants problems in 200 profiles with none, one, two and three of them, then memsets, each problem in loops of other
shapes, and the plants that are newest (docs/profiles/findings.md)."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tools/shared"))
import _planted

FIRST = int(sys.argv[1]) if len(sys.argv) > 1 else 2000

drawn, later, latest = _planted.Results(), _planted.Results(), _planted.Results()
_planted.measure_drawn(drawn, range(FIRST, FIRST + 200))
_planted.measure_later(later, range(FIRST + 200, FIRST + 400))
_planted.measure_latest(latest, range(FIRST + 400, FIRST + 600))
sys.exit(max(_planted.check(results) for results in (drawn, later, latest)))
