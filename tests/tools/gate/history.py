#!/usr/bin/env python3
"""Checks that `sonde history` finds what an independent computation finds, in planted series and in noise, that its
documents match their schema, and that --fail-if-newest exits with 1 when a regression is first seen, and not again."""

import json
import os
import random
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ElementTree
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "tests/reference"))
import change_points as reference
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "shared"))
from _schema import load, violations

SERIES = 24
NEWEST = 60


def planted(seed):
    """Values with some steps, drift or outliers in noise of one percent."""
    chance = random.Random(seed)
    count = chance.choice((8, 30, 60, 110))
    values, level = [], 1e7
    for i in range(count):
        if chance.random() < 0.03:
            level *= 1 + chance.choice((-1, 1)) * chance.uniform(0.005, 0.08)
        outlier = 1.2 if chance.random() < 0.02 else 1
        values.append(round(level * outlier * chance.gauss(1, 0.01), 3))
    return values


def write_csv(path, columns):
    names = list(columns)
    rows = [["time", "commit", *names]]
    for i in range(max(map(len, columns.values()))):
        cells = [str(columns[n][i]) if i < len(columns[n]) else "" for n in names]
        rows.append([f"{1767225600 + 86400 * i}", f"{i:07x}", *cells])
    path.write_text("".join(",".join(row) + "\n" for row in rows))


def history(folder, *options):
    command = [os.environ["SONDE"], "history", "--csv", "h.csv", *options]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True)


def near(a, b, part):
    return abs(a - b) <= part * max(abs(a), abs(b))


def against_reference(folder):
    columns = {f"m{seed}": planted(seed) for seed in range(SERIES)}
    write_csv(folder / "h.csv", columns)
    printed = history(folder, "-o", "h.json", "-o", "h.svg", "-o", "h.html", "-o", "out.csv")
    if printed.returncode != 0:
        return [printed.stderr]
    document = json.loads((folder / "h.json").read_text())
    failures = list(violations(document, load("history.schema.json")))
    if json.loads(history(folder, "--json").stdout) != document:
        failures.append("--json differs from -o h.json")
    total = 0
    for series in document["series"]:
        expected = reference.change_points(columns[series["metric"]])
        total += len(expected)
        found = [(c["index"], c["before"], c["after"], c["p"]) for c in series["changes"]]
        same = len(found) == len(expected) and all(
            f[0] == e[0] and near(f[1], e[1], 1e-12) and near(f[2], e[2], 1e-12) and near(f[3], e[3], 1e-5)
            for f, e in zip(found, expected)
        )
        if not same:
            failures.append(f"{series['metric']}: found {found}, the reference {expected}")
    print(f"{total} change points in {len(document['series'])} series are those of the reference")
    if total < SERIES // 2 or len(document["series"]) != SERIES:
        failures.append("too little was planted to compare anything")
    return failures + of_pictures(folder, total) + of_terminal(printed.stdout)


def of_pictures(folder, total):
    svg = ElementTree.fromstring((folder / "h.svg").read_text())
    names = [e.get("class") for e in svg.iter() if e.tag.endswith("}line")]
    failures = [] if names.count("worse") + names.count("better") == total else ["the picture has not every change"]
    page = (folder / "h.html").read_text()
    if re.search(r"<script|https?://(?!www\.w3\.org/2000/svg)", page):
        failures.append("the page has a script or asks for something from elsewhere")
    rows = (folder / "out.csv").read_text().splitlines()
    if sum(row.split(",")[8] != "" for row in rows[1:]) != total:
        failures.append("the CSV has not every change")
    return failures


def of_terminal(text):
    wide = [line for line in text.splitlines() if len(line) > 80]
    return [f"wider than 80: {line}" for line in wide]


def newest(folder):
    """How each value of a series that rises at NEWEST ends, as it comes in."""
    chance = random.Random(1)
    values = [100 * chance.gauss(1, 0.01) * (1.06 if i >= NEWEST else 1) for i in range(NEWEST + 8)]
    codes = {}
    for count in range(NEWEST - 10, len(values) + 1):
        write_csv(folder / "h.csv", {"m": values[:count]})
        codes[count] = history(folder, "--fail-if-newest").returncode
    alarms = [count - NEWEST for count, code in codes.items() if code == 1]
    write_csv(folder / "h.csv", {"m": values})
    faster = history(folder, "--fail-if-newest", "--higher-is-better", "m").returncode
    missing = history(folder, "--fail-if-newest", "--metric", "n").returncode
    print(f"a step is told with its value number {alarms}")
    failures = [] if len(alarms) == 1 and 1 <= alarms[0] <= 4 else [f"alarms with the values {alarms} behind the step"]
    return failures + ([] if (faster, missing) == (0, 5) else [f"exit codes {faster} and {missing}"])


def main():
    with tempfile.TemporaryDirectory() as folder:
        failures = against_reference(Path(folder)) + newest(Path(folder))
    print("\n".join(failures))
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
