#!/usr/bin/env python3
"""Checks that `sonde why` finds what `sonde synth --plant` plants, with its cost: each problem alone, and some
together."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "shared"))
import _planted

results = _planted.Results()
_planted.measure_alone(results, range(1, 2))
_planted.measure_drawn(results, range(40, 56))
sys.exit(_planted.check(results))
