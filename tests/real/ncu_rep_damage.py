#!/usr/bin/env python3
"""Damaged Nsight Compute reports are read or refused in bounded time and memory: a sample; tests/full has all of it.

usage: SONDE_TEST_DATA=FOLDER TEST_TOOLS=FOLDER ncu_rep_damage.py [PART OF A FILE NAME]...
"""

import sys

import _damage

if __name__ == "__main__":
    sys.exit(_damage.run("ncu_rep", "*.ncu-rep", _damage.SAMPLE))
