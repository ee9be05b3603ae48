"""Change points, computed a second time: with explicit sums, and p-values of the t-test by numerical integration of the
density."""

import math


def t_density(x, degrees):
    log_scale = math.lgamma((degrees + 1) / 2) - math.lgamma(degrees / 2) - 0.5 * math.log(degrees * math.pi)
    return math.exp(log_scale - (degrees + 1) / 2 * math.log1p(x * x / degrees))


def two_sided_p(t, degrees):
    """Twice the area of Student's density beyond t, by Simpson's rule; x = t + u / (1 - u) maps the tail to 0..1."""
    pieces = 4000
    total = 0.0
    for i in range(pieces):  # at u = 1 the integrand is 0 for two or more degrees of freedom
        u = i / pieces
        weight = 1 if i == 0 else 4 if i % 2 else 2
        total += weight * t_density(t + u / (1 - u), degrees) / (1 - u) ** 2
    return 2 * total / (3 * pieces)


def mean(values):
    return math.fsum(values) / len(values)


def t_test(a, b):
    degrees = len(a) + len(b) - 2
    if not a or not b or degrees < 1:
        return 1.0
    squares = math.fsum((x - mean(a)) ** 2 for x in a) + math.fsum((x - mean(b)) ** 2 for x in b)
    deviation = math.sqrt(squares / degrees)
    return two_sided_p(abs(mean(a) - mean(b)) / (deviation * math.sqrt(1 / len(a) + 1 / len(b))), degrees)


def without_any_one(a, b):
    if len(a) + len(b) < 4:
        return 1.0
    smallest, sides = math.inf, None
    for left, right in [(a[:i] + a[i + 1 :], b) for i in range(len(a))] + [(a, b[:i] + b[i + 1 :]) for i in range(len(b))]:
        if not left or not right:
            return 1.0
        # All have the same degrees of freedom: the largest p has the smallest t.
        squares = math.fsum((x - mean(left)) ** 2 for x in left) + math.fsum((x - mean(right)) ** 2 for x in right)
        t = abs(mean(left) - mean(right)) / math.sqrt(squares * (1 / len(left) + 1 / len(right)))
        if t < smallest:
            smallest, sides = t, (left, right)
    return t_test(*sides)


def mean_distance(values):
    pairs = [abs(x - y) for i, x in enumerate(values) for y in values[:i]]
    return mean(pairs)


def energy(values, split):
    left, right = values[:split], values[split:]
    between = mean([abs(x - y) for x in left for y in right])
    return len(left) * len(right) / len(values) * (2 * between - mean_distance(left) - mean_distance(right))


def split_window(values, first, max_p):
    if len(values) < 4:
        return []
    split = max(range(2, len(values) - 1), key=lambda i: energy(values, i))
    if t_test(values[:split], values[split:]) > max_p:
        return []
    return (
        split_window(values[:split], first, max_p)
        + [first + split]
        + split_window(values[split:], first + split, max_p)
    )


def weak_splits(values, window, max_p):
    splits, start = [], 0
    while start < len(values):
        found = split_window(values[start : start + window], start, max_p)
        splits += found
        start = max([start + window // 2, *found[-1:]])
    return splits


def change_points(values, window=50, max_p=0.001):
    """(index, before, after, p) of each."""
    splits = weak_splits(values, window, 10 * max_p)
    while True:
        ends = [0, *splits, len(values)]
        sides = [(values[ends[i] : ends[i + 1]], values[ends[i + 1] : ends[i + 2]]) for i in range(len(splits))]
        found = [(s, mean(a), mean(b), without_any_one(a, b)) for s, (a, b) in zip(splits, sides)]
        weakest = max(found, key=lambda f: f[3], default=None)
        if weakest is None or weakest[3] <= max_p:
            return found
        splits.remove(weakest[0])
