"""Permutation tests and their corrections, computed a second time: in exact fractions over every arrangement.

    python3 tests/reference/gate_cases.py > tests/unit/gate/gate_cases.inc
"""

import random
from fractions import Fraction
from itertools import combinations
from math import comb


def p_above(base, changed, factor):
    """One-sided p-value of "changed is at most factor times base": arrangements whose changed side has as high a mean."""
    runs = list(base) + [v / factor for v in changed]
    measured = sum(runs[len(base):])
    as_high = sum(sum(choice) >= measured for choice in combinations(runs, len(changed)))
    return Fraction(as_high, comb(len(runs), len(changed)))


def p_below(base, changed, factor):
    runs = list(base) + [v / factor for v in changed]
    measured = sum(runs[len(base):])
    as_low = sum(sum(choice) <= measured for choice in combinations(runs, len(changed)))
    return Fraction(as_low, comb(len(runs), len(changed)))


def signed_t_squared(runs, chosen):
    """t^2 with the sign of t: orders as t does, without a root. None for no spread within the sides (t is infinite)."""
    inside = [runs[i] for i in chosen]
    outside = [runs[i] for i in range(len(runs)) if i not in chosen]
    means = [Fraction(sum(side), len(side)) for side in (inside, outside)]
    within = sum((v - m) ** 2 for side, m in zip((inside, outside), means) for v in side)
    difference = means[0] - means[1]
    if difference == 0:
        return Fraction(0)
    return None if within == 0 else (1 if difference > 0 else -1) * difference**2 / within


def max_t(family):
    """Westfall and Young's step-down: for each member (base, changed) the adjusted p-value."""
    size, chosen_size = len(family[0][0]) + len(family[0][1]), len(family[0][1])
    runs = [list(base) + list(changed) for base, changed in family]
    arrangements = list(combinations(range(size), chosen_size))
    t = [[signed_t_squared(values, chosen) for values in runs] for chosen in arrangements]
    measured = t[arrangements.index(tuple(range(size - chosen_size, size)))]
    order = sorted(range(len(family)), key=lambda m: -measured[m])
    adjusted, most = {}, Fraction(0)
    for rank, member in enumerate(order):
        as_high = sum(max(row[m] for m in order[rank:]) >= measured[member] for row in t)
        most = max(most, Fraction(as_high, len(arrangements)))
        adjusted[member] = most
    return [adjusted[m] for m in range(len(family))]


def text(value):
    return repr(float(value))


def values(numbers):
    return "{" + ", ".join(text(n) for n in numbers) + "}"


def sides(draw, base, changed, low, high):
    return [draw.randint(low, high) for _ in range(base)], [draw.randint(low, high) for _ in range(changed)]


def main():
    draw = random.Random(20)
    print("// Made by tests/reference/gate_cases.py.")
    print("// SONDE_TEST_CASE(base, changed, factor, p_above, p_below)")
    for base, changed in [(1, 1), (1, 4), (2, 2), (3, 3), (2, 5), (4, 4), (5, 5), (5, 6), (6, 3), (7, 7), (8, 5)]:
        for high in (103, 130, 100000):  # few different values make ties
            first, second = sides(draw, base, changed, 100, high)
            factor = Fraction(draw.choice([1, 1, Fraction(21, 20), Fraction(9, 10)]))
            print(f"SONDE_TEST_CASE(SONDE_RUNS({values(first)}), SONDE_RUNS({values(second)}), {text(factor)}, "
                  f"{text(p_above(first, second, factor))}, {text(p_below(first, second, factor))})")
    print("// SONDE_TEST_FAMILY(members, adjusted p-values)")
    for members, base, changed in [(1, 3, 3), (2, 4, 4), (5, 4, 5), (12, 5, 5), (20, 3, 6)]:
        family = [sides(draw, base, changed, 1000, 2000) for _ in range(members)]
        if members > 1:
            family[1] = (family[1][0], [v + 900 for v in family[1][1]])
        rows = ", ".join("{" + values(a) + ", " + values(b) + "}" for a, b in family)
        print(f"SONDE_TEST_FAMILY(SONDE_RUNS({{{rows}}}), SONDE_RUNS({values(max_t(family))}))")


if __name__ == "__main__":
    main()
