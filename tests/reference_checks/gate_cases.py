#!/usr/bin/env python3
"""Checks that tests/reference/gate_cases.py makes tests/unit/gate/gate_cases.inc, and that it agrees with answers
counted by hand."""

import contextlib
import io
import sys
from fractions import Fraction
from pathlib import Path

TESTS = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(TESTS / "reference"))
import gate_cases

assert gate_cases.p_above([1, 2, 3], [4, 5, 6], 1) == Fraction(1, 20)
assert gate_cases.p_above([1, 4], [2, 3], 1) == gate_cases.p_below([1, 4], [2, 3], 1) == Fraction(4, 6)
assert gate_cases.p_above([10, 20], [33, 44], Fraction(11, 10)) == Fraction(1, 6)
# One member: t orders as the mean does. A second one that never is extreme changes nothing; its own p-value is no lower.
assert gate_cases.max_t([([1, 2, 4], [5, 6, 8])]) == [Fraction(1, 20)]
first, second = gate_cases.max_t([([1, 2, 4], [5, 6, 8]), ([5, 6, 8], [1, 2, 4])])
assert first == Fraction(2, 20) and second == 1, "t of the one is minus that of the other"

made = io.StringIO()
with contextlib.redirect_stdout(made):
    gate_cases.main()
if made.getvalue() != (TESTS / "unit/gate/gate_cases.inc").read_text(encoding="utf-8"):
    sys.exit("out of date: python3 tests/reference/gate_cases.py > tests/unit/gate/gate_cases.inc")
print("the gate's cases are those of the second computation")
