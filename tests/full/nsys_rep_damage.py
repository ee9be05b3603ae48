#!/usr/bin/env python3
"""Runs all of tests/real/nsys_rep_damage.py: 2,000 prefixes and 10,000 changes of each real report. Takes about half an
hour."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "real"))

import _damage

if __name__ == "__main__":
    sys.exit(_damage.run("nsys_rep", "*.nsys-rep", _damage.ALL))
