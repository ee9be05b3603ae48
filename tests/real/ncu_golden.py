#!/usr/bin/env python3
"""Compares what `sonde kernel` prints of Nsight Compute reports with what ncu itself printed of them, value by value as
text: the details page (text and CSV), the raw page (CSV), the session page (text) and the source page (CSV).

usage: SONDE_TEST_DATA=FOLDER SONDE=PROGRAM ncu_golden.py [-v] [PART OF A REPORT'S NAME]...

FOLDER/ncu_golden holds ncu's output as REPORT.PAGE.csv.gz and REPORT.PAGE.txt.gz; the reports are anywhere in FOLDER. Exits
77 (skipped) without them. A value is a cell with its unit: "equal" as text, "differs", "missing" in Sonde's output or
"extra" there. -v prints each value that is not equal.
"""

import collections
import csv
import gzip
import io
import os
import re
import subprocess
import sys
from pathlib import Path

SKIPPED = 77
SONDE = os.environ.get("SONDE", "build/release/sonde")
LEAST_EQUAL = 0.98
LAUNCH = ["Process ID", "Kernel Name", "Context", "Stream", "Block Size", "Grid Size", "Device", "CC"]
RULE = ["Rule Type", "Rule Description", "Estimated Speedup Type", "Estimated Speedup"]
# Not in Sonde's output: it has no disassembler.
DISASSEMBLY = "Source"


def sonde(report, *options):
    command = [SONDE, "kernel", "-q", str(report), *options]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}: {done.stderr}")
    return done.stdout


def golden(folder, name, page):
    path = folder / f"{name}.{page}.gz"
    return gzip.open(path, "rt", encoding="utf-8", newline="").read() if path.is_file() else None


def details_csv(text):
    """{(launch, section, label or rule, number): cell} of metrics, rules and the launch itself."""
    cells = {}
    rows = csv.DictReader(io.StringIO(text))
    cells["", "", "header", 0] = ",".join(rows.fieldnames)
    seen = collections.Counter()
    for row in rows:
        launch, section = row["ID"], row["Section Name"]
        for title in LAUNCH:
            cells[launch, "launch", title, 0] = row[title]
        if row.get("Rule Name"):
            key = launch, section, row["Rule Name"]
            cells[(*key, seen[key])] = " | ".join(row[title] for title in RULE)
        else:
            key = launch, section, row["Metric Name"]
            cells[(*key, seen[key])] = f"{row['Metric Value']} {row['Metric Unit']}"
        seen[key] += 1
    return cells


def table_cells(lines, at):
    """The rows of a text table whose first rule is lines[at], and the line behind it."""
    widths = [match.span() for match in re.finditer("-+", lines[at])]
    rows = []
    at += 3
    while not set(lines[at]) <= {"-", " "}:
        rows.append([lines[at][begin:end].strip() for begin, end in widths])
        at += 1
    return rows, at + 1


def details_text(text):
    """Metrics and rules by (launch, section, label). Sonde's own views are no part of a section: they have tables with
    other titles."""
    cells = {}
    lines = text.splitlines()
    launch, section, at = -1, None, 0
    advice = collections.defaultdict(list)
    while at < len(lines):
        line = lines[at]
        if re.match(r"  \S.* \(\d+, \d+, \d+\)x\(", line):
            launch, section = launch + 1, None
            cells[launch, "launch", "heading", 0] = line.strip()
        elif line.startswith("[") and "@" in line:
            cells[launch + 1, "launch", "process", 0] = line
        elif line.startswith("    Warning: "):
            cells[launch, "launch", "warning", 0] = line.strip()
        elif line.startswith("    Section: "):
            section = line.strip().removeprefix("Section: ")
        elif section and re.match(r"    -+ -+ -+$", line) and "Metric Name" in lines[at + 1]:
            rows, at = table_cells(lines, at)
            for label, unit, value in rows:
                cells[launch, section, label, 0] = f"{value} {unit}"
            continue
        elif section and re.match(r"    (INF|WRN|OPT|ERR)   ", line):
            part = [line]
            while at + 1 < len(lines) and lines[at + 1].startswith(" " * 10) and lines[at + 1].strip():
                at += 1
                part.append(lines[at])
            advice[launch, section].append("\n".join(row.rstrip() for row in part))
        at += 1
    for (launch, section), texts in advice.items():
        for number, rule in enumerate(texts):
            cells[launch, section, "rule", number] = rule
    return cells


def raw_csv(text):
    rows = list(csv.reader(io.StringIO(text)))
    titles, units = rows[:2]
    cells = {}
    for row in rows[2:]:
        for title, unit, value in zip(titles, units, row, strict=True):
            if title in LAUNCH:
                cells[row[0], "launch", title, 0] = value
            elif title not in ("ID", "Process Name", "Host Name"):
                cells[row[0], "metrics", title, 0] = f"{value} {unit}"
    return cells


def session_text(text):
    """{(table, attribute): value}; broken lines are put together, so blanks at a break do not count."""
    cells = {}
    lines = text.splitlines()
    title, key, width, rows_from = None, None, 0, 0
    for at, line in enumerate(lines):
        if re.match("-+ -+", line):
            if at + 2 < len(lines) and lines[at + 2] == line:
                title, key, width, rows_from = lines[at - 1].strip(), None, line.index(" "), at + 3
        elif at >= rows_from and key and not line[:width].strip():
            cells[key] += line.strip()
        elif at >= rows_from and re.match(r"\S", line) and line[width : width + 1] == " ":
            key = title, "", line[:width].strip(), 0
            cells[key] = line[width:].strip()
        elif at >= rows_from and key:
            cells[key] += line.strip()
    return {key: re.sub(r"\s+", "", value) for key, value in cells.items()}


def source_csv(text):
    """{(block, address, title): cell}: a block is one printing of a kernel."""
    cells = {}
    titles, block = [], -1
    for row in csv.reader(io.StringIO(text)):
        if row and row[0] == "Kernel Name":
            block += 1
            cells[block, "", "Kernel Name", 0] = row[1]
        elif row and row[0] == "Address":
            titles = row
            cells[block, "", "titles", 0] = ",".join(row)
        elif row:
            for title, cell in zip(titles, row):
                cells[block, row[0], title, 0] = cell
    return cells


PAGES = {
    "details.csv": (details_csv, ["--page", "details", "--csv"]),
    "details.txt": (details_text, ["--page", "details"]),
    "raw.csv": (raw_csv, ["--page", "raw", "--csv"]),
    "session.txt": (session_text, ["--page", "session"]),
    "source.csv": (source_csv, ["--page", "source", "--csv"]),
}


def is_path(key):
    return key[0] in ("Processes", "Launch Settings")


class Count:
    def __init__(self):
        self.by_page = {page: collections.Counter() for page in PAGES}
        self.wrong = []

    def add(self, page, what, text):
        self.by_page[page][what] += 1
        if what not in ("equal", "path", "disassembly"):
            self.wrong.append(f"{page} {what}: {text}")

    def compare(self, report, page, theirs, ours):
        for key, value in theirs.items():
            if key not in ours:
                self.add(page, "missing", f"{report} {key} {value!r}")
            elif ours[key] == value:
                self.add(page, "equal", "")
            elif page == "session.txt" and is_path(key):
                self.add(page, "path", "")
            elif page == "source.csv" and key[2] == DISASSEMBLY:
                self.add(page, "disassembly", "")
            else:
                self.add(page, "differs", f"{report} {key} {value!r} ours {ours[key]!r}")
        for key, value in ours.items():
            if key not in theirs:
                self.add(page, "extra", f"{report} {key} {value!r}")

    def failures(self):
        for page, counts in self.by_page.items():
            of_ncu = sum(counts[what] for what in ("equal", "differs", "missing", "path"))
            if not of_ncu:
                yield f"{page}: nothing was compared"
            elif counts["equal"] < LEAST_EQUAL * of_ncu and page != "session.txt":
                yield f"{page}: {counts['equal']} of {of_ncu} are equal"
            for what in ("differs", "extra"):
                if counts[what]:
                    yield f"{page}: {counts[what]} {what}"


def main():
    data = os.environ.get("SONDE_TEST_DATA")
    folder = Path(data or ".") / "ncu_golden"
    verbose = "-v" in sys.argv
    wanted = [a for a in sys.argv[1:] if a != "-v"]
    if not data or not folder.is_dir():
        print("skipped: SONDE_TEST_DATA has no ncu_golden")
        return SKIPPED
    count = Count()
    reports = {p.name.removesuffix(".ncu-rep"): p for p in sorted(Path(data).glob("*/*.ncu-rep"))}
    for name, report in reports.items():
        if wanted and not any(part in name for part in wanted):
            continue
        for page, (parse, options) in PAGES.items():
            theirs = golden(folder, name, page)
            if theirs is not None:
                count.compare(name, page, parse(theirs), parse(sonde(report, *options)))
    for page, counts in count.by_page.items():
        print(f"{page:12}", ", ".join(f"{number} {what}" for what, number in sorted(counts.items())))
    if verbose:
        print("\n".join(count.wrong))
    failures = list(count.failures())
    print("\n".join(failures))
    if failures and not verbose:
        print("\n".join(count.wrong[:30]))
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
