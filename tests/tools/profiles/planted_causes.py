#!/usr/bin/env python3
"""Checks that `sonde compare` lists a planted problem first, with its place and cost, and that all levels add up. A few
seeds; more are in tests/full/planted_causes.py."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "shared"))
import _planted_pairs


def measure(seeds):
    """Prints what is wrong. Gives hits and pairs."""
    hits = all_pairs = mistakes = 0
    for program, seed, plant, difference, cost_ns in _planted_pairs.pairs(
        _planted_pairs.PROGRAMS, seeds, _planted_pairs.PLANTS
    ):
        wrong = _planted_pairs.verdict(plant, difference, cost_ns)
        sums = list(_planted_pairs.sum_mistakes(difference))
        all_pairs += 1
        hits += wrong is None
        mistakes += len(sums)
        for line in [wrong] * (wrong is not None) + sums:
            print(f"{program}, seed {seed}, {plant}: {line}")
    print(f"{hits} of {all_pairs} planted causes are named first with their cost; {mistakes} sums are wrong")
    return hits, all_pairs, mistakes


def check(seeds, least):
    hits, all_pairs, mistakes = measure(seeds)
    return 0 if all_pairs > 0 and hits >= least * all_pairs and mistakes == 0 else 1


if __name__ == "__main__":
    sys.exit(check(range(1, 3), 0.95))
