"""Compares a report that Sonde printed with its reference computation, and does so for many files."""

import csv
import importlib.util
import io
import json
import os
import pathlib
import subprocess
import sys
from collections import Counter, namedtuple
from fractions import Fraction

ROOT = pathlib.Path(__file__).resolve().parents[2]
SKIPPED = 77  # what CTest takes for "skipped"
Outcome = namedtuple("Outcome", "difference off_by_rounding")


def compare(expected, printed):
    """Outcome of `printed` (rows of cells, the header first; nothing for an empty report) against a Report."""
    if not printed or not expected.rows:
        found = len(printed[1:]) if printed else 0
        return Outcome(None if found == len(expected.rows) else f"{found} rows, {len(expected.rows)} expected", 0)
    header, *rows = printed
    if header != expected.header:
        return Outcome(f"header {','.join(header)}\nexpected {','.join(expected.header)}", 0)
    ragged = next((row for row in rows if len(row) != len(header)), None)
    if ragged is not None:
        return Outcome(f"{len(ragged)} cells and {len(header)} columns in {ragged}", 0)
    wanted = expected.rows
    if expected.id_columns:
        if problem := repeated_id(header, rows, expected.id_columns):
            return Outcome(problem, 0)
        wanted, rows = (without_ids(header, table, expected.id_columns) for table in (wanted, rows))
    return compare_rows(expected.header, wanted, expected.keys, rows)


def compare_rows(header, wanted, keys, rows):
    off, start = 0, 0
    while start < len(wanted):
        end = start + 1
        while end < len(wanted) and keys[end] == keys[start]:
            end += 1
        outcome = compare_tied(header, wanted[start:end], rows[start:end], start)
        if outcome.difference:
            return outcome
        off += outcome.off_by_rounding
        start = end
    if len(rows) > len(wanted):
        return Outcome(f"row {len(wanted) + 1} and {len(rows) - len(wanted) - 1} more are not expected: {rows[len(wanted)]}", off)
    return Outcome(None, off)


def compare_tied(header, wanted, rows, start):
    """Rows of one sort key, in any order."""
    surplus, missing = list((count_of(rows) - count_of(wanted)).elements()), []
    left = count_of(rows)
    for row in wanted:
        if left[tuple(row)]:
            left[tuple(row)] -= 1
        else:
            missing.append(row)
    off = 0
    for row in missing:
        match = next((other for other in surplus if row_rounding(row, other) is not None), None)
        if match is None:
            return Outcome(describe(header, row, surplus, start), off)
        off += row_rounding(row, match)
        surplus.remove(match)
    return Outcome(None, off)


def count_of(rows):
    return Counter(tuple(map(str, row)) for row in rows)


def row_rounding(wanted, row):
    """How many cells differ by binary rounding only, or None where the rows really differ."""
    kinds = [cell_rounding(a, b) for a, b in zip(wanted, row)]
    return None if None in kinds else sum(kinds)


def cell_rounding(wanted, printed):
    if wanted == printed:
        return 0
    exact = getattr(wanted, "exact", None)
    if exact is None or "." not in wanted:
        return None
    digits = len(wanted.partition(".")[2])
    try:
        value = Fraction(printed)
    except ValueError:
        return None
    if len(printed.partition(".")[2]) != digits:
        return None
    # Half a unit in the last place, and what doubles lose over some ten thousand additions.
    allowed = Fraction(1, 2 * 10**digits) + abs(exact) / 10**12
    return 1 if abs(value - exact) <= allowed else None


def describe(header, wanted, surplus, start):
    """The first difference: the expected row and the printed row most like it."""
    if not surplus:
        return f"row {start + 1} is missing: {wanted}"
    like = max(surplus, key=lambda row: sum(a == b for a, b in zip(wanted, row)))
    cells = [f"{title}: {b!r}, expected {str(a)!r}" for title, a, b in zip(header, wanted, like)
             if cell_rounding(a, b) is None]
    return f"row {start + 1}: " + "; ".join(cells) + f"\nprinted  {list(like)}\nexpected {list(map(str, wanted))}"


def repeated_id(header, rows, id_columns):
    own = header.index(id_columns[0])
    counts = Counter(row[own] for row in rows)
    worst = counts.most_common(1)
    return f"{id_columns[0]} {worst[0][0]} stands in {worst[0][1]} rows" if worst and worst[0][1] > 1 else None


def without_ids(header, rows, id_columns):
    """NVIDIA calls these ids arbitrary, so each is replaced by the cells of the row that has it."""
    own, parent, stack = (header.index(title) for title in id_columns)
    text = {row[own]: "|".join(value for i, value in enumerate(row) if i not in (own, parent, stack)) for row in rows}
    named = []
    for row in rows:
        row = list(row)
        row[stack] = ":".join(text.get(i, "no such range") for i in row[stack].split(":")[1:])
        row[parent] = text.get(row[parent], "no such range") if row[parent] else ""
        row[own] = ""
        named.append(row)
    return named


def program():
    return os.environ.get("SONDE", str(ROOT / "build/release/sonde"))


def run_sonde(*arguments):
    return subprocess.run([program(), *map(str, arguments)], capture_output=True, text=True)


def why_as_recorded(*paths):
    """The document of `sonde why` on the recorded times: raw rows have the recorder's own cost in them."""
    document = json.loads(run_sonde("why", "--json", *paths).stdout or "{}")
    recorder = document.get("recorder")
    if not recorder:
        return document
    return json.loads(run_sonde("why", "--json", "--step-time", f"{recorder['recorded_ns']}ns", *paths).stdout)


def printed_report(path, report):
    """(rows of cells, error text) of `sonde stats`."""
    result = run_sonde("stats", "-q", "-r", report, "-f", "csv", path)
    if result.returncode != 0:
        return [], f"exit code {result.returncode}: {result.stderr.strip()}"
    return list(csv.reader(io.StringIO(result.stdout))), None


def data_folder(name):
    """Folder of real profiles; ends the test as skipped where there is none."""
    root = os.environ.get("SONDE_TEST_DATA")
    if not root:
        print("skipped: SONDE_TEST_DATA is not set (a folder with nsys_sqlite/ and kineto/)")
        sys.exit(SKIPPED)
    folder = pathlib.Path(root) / name
    if not folder.is_dir():
        print(f"skipped: no folder {folder}")
        sys.exit(SKIPPED)
    return folder


def decoder(name):
    """One of the independent decoders in ../tools of the real profiles, as a module; ends the test as skipped without it."""
    path = data_folder(".").resolve().parent / "tools" / f"{name}.py"
    if not path.is_file():
        print(f"skipped: there is no tools/{name}.py beside SONDE_TEST_DATA")
        sys.exit(SKIPPED)
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def holds(what, value, bounds=None):
    """Whether a claim is true, or a value lies within its bounds; prints which."""
    right = value if bounds is None else bounds[0] <= value <= bounds[1]
    shown = "" if bounds is None else f": {value:.4f} of it, {bounds[0]} to {bounds[1]}"
    print(f"{'ok' if right else 'WRONG':8}{what}{shown}")
    return right


def selected(paths):
    """Of the paths, those named in arguments of the test (parts of names), or all."""
    parts = sys.argv[1:]
    return [path for path in sorted(paths) if not parts or any(part in path.name for part in parts)]


def check_files(paths, opened, compute, reports):
    """Compares each report of each file, or the one that REPORT names; prints a line a pair; returns the exit code."""
    only = os.environ.get("REPORT")
    reports = [report for report in reports if only in (None, report)]
    differences = compared = off = 0
    for path in paths:
        source = opened(path)
        for report in reports:
            printed, error = printed_report(path, report)
            expected = compute(source, report)
            outcome = Outcome(error, 0) if error else compare(expected, printed)
            compared, off = compared + 1, off + outcome.off_by_rounding
            differences += outcome.difference is not None
            print_line(path, report, expected, outcome)
    print(f"{compared} reports compared, {differences} differ, {off} cells differ by binary rounding only")
    return 1 if differences or not compared else 0


def print_line(path, report, expected, outcome):
    state = "DIFFERS" if outcome.difference else "ok"
    rounding = f"  ({outcome.off_by_rounding} cells differ by binary rounding)" if outcome.off_by_rounding else ""
    print(f"{state:8}{path.name}  {report}  {len(expected.rows)} rows{rounding}", flush=True)
    if outcome.difference:
        print("    " + outcome.difference.replace("\n", "\n    "), flush=True)
