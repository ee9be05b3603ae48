"""Shared by the reference computations: a report's table, exact rounding, and the statistics columns."""

import csv
import io
from collections import namedtuple
from decimal import ROUND_HALF_UP, Decimal, localcontext
from fractions import Fraction

# keys: one a row, what the rows are ordered by; rows with equal keys may come in any order.
# id_columns: titles of the columns with a row's own id, its parent's id, and the ids from the outermost parent to itself.
Report = namedtuple("Report", "header rows keys id_columns", defaults=[None])


class Rounded(str):
    """Text of a rounded number that still knows the number."""

    exact = None


def rounded(value, digits):
    """Exact value (int or Fraction) as text, halves away from zero, as SQLite's round() does."""
    text = Rounded(round_half_up(value, digits))
    text.exact = Fraction(value)
    return text


def round_half_up(value, digits):
    with localcontext() as context:
        context.prec = 60
        exact = Decimal(Fraction(value).numerator) / Decimal(Fraction(value).denominator)
        text = format(exact.quantize(Decimal(1).scaleb(-digits), ROUND_HALF_UP), "f")
    return text[1:] if text.startswith("-") and not text.strip("-0.") else text


def mean(values):
    return Fraction(sum(values), len(values))


def median(values):
    ordered = sorted(values)
    half = len(ordered) // 2
    return Fraction(ordered[half]) if len(ordered) % 2 else Fraction(ordered[half - 1] + ordered[half], 2)


def stdev(values):
    """Of a sample (n - 1); 0 for one value."""
    n = len(values)
    if n < 2:
        return 0
    variance = Fraction(n * sum(v * v for v in values) - sum(values) ** 2, n * (n - 1))
    with localcontext() as context:
        context.prec = 60
        return Fraction((Decimal(variance.numerator) / Decimal(variance.denominator)).sqrt())


def time_statistics(values):
    """Avg, Med, Min, Max, StdDev in ns as nsys prints them; empty cells for no values."""
    if not values:
        return [""] * 5
    return [rounded(mean(values), 1), rounded(median(values), 1), cell(min(values)), cell(max(values)),
            rounded(stdev(values), 1)]


def statistics_header(prefix=""):
    return [f"{prefix}{name} (ns)" for name in ("Avg", "Med", "Min", "Max", "StdDev")]


def time_summary(durations_by_name, count_title, name_titles):
    """Share, total, count and statistics for each name (a tuple, one item a title), longest total first."""
    header = ["Time (%)", "Total Time (ns)", count_title] + statistics_header() + name_titles
    everything = sum(sum(values) for values in durations_by_name.values())
    ordered = sorted(durations_by_name.items(), key=lambda item: (-sum(item[1]), item[0]))
    rows = [[percent(sum(values), everything), cell(sum(values)), str(len(values))] + time_statistics(values)
            + list(name) for name, values in ordered]
    return Report(header, rows, [-sum(values) for _, values in ordered])


def size_summary(bytes_by_name):
    """cuda_gpu_mem_size_sum: megabytes of 10^6 bytes, most first."""
    titles = ("Total", "Count", "Avg", "Med", "Min", "Max", "StdDev")
    header = [title if title == "Count" else f"{title} (MB)" for title in titles] + ["Operation"]
    ordered = sorted(bytes_by_name.items(), key=lambda item: (-sum(item[1]), item[0]))
    rows = [[megabytes(sum(values)), str(len(values)), megabytes(mean(values)), megabytes(median(values)),
             megabytes(min(values)), megabytes(max(values)), megabytes(stdev(values)), *name]
            for name, values in ordered]
    return Report(header, rows, [-sum(values) for _, values in ordered])


def percent(part, whole):
    return rounded(Fraction(part * 100, whole) if whole else 0, 1)


def megabytes(count):
    return rounded(Fraction(count) / 1000000, 3)


def dimensions(x, y, z):
    """GridXYZ and BlockXYZ: nsys pads each number to four places (` 148    1    1`)."""
    return f"{x:4d} {y:4d} {z:4d}"


def cell(value):
    """Whole numbers without a point; what is not known is empty."""
    if value is None:
        return ""
    if isinstance(value, Fraction) and value.denominator == 1:
        return str(value.numerator)
    return str(value)


def grouped(pairs):
    """{key: [values]} of (key, value) pairs."""
    groups = {}
    for key, value in pairs:
        groups.setdefault(key, []).append(value)
    return groups


def to_csv(report):
    """Text of a report; nothing at all for an empty one."""
    if not report.rows:
        return ""
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerows([report.header] + report.rows)
    return out.getvalue()


def union_length(intervals):
    """Nanoseconds covered by half-open intervals."""
    covered, reached = 0, None
    for start, end in sorted(intervals):
        if reached is None or start > reached:
            reached = start
        if end > reached:
            covered += end - reached
            reached = end
    return covered
