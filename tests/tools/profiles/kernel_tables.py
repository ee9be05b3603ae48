#!/usr/bin/env python3
"""Reports of Nsight Compute, converted to the SQLite file and read back: every page of every kernel says the same, and plain
SQL over the tables gives what the page prints. The same with a timeline and its counters in one file."""

import csv
import io
import os
import sqlite3
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "reference"))

import joined_pair

SONDE = os.environ.get("SONDE", "build/release/sonde")
DATA = os.environ.get("SONDE_TEST_DATA")
PAGES = [["kernel", "-q", "--page", "details", "--print-details", "all", "--print-metric-instances", "details"],
         ["kernel", "-q", "--page", "raw", "--csv"], ["kernel", "-q", "-f", "json"], ["kernels", "-q", "-f", "csv"]]


def sonde(*arguments):
    return subprocess.run([SONDE, *map(str, arguments)], capture_output=True, text=True, check=True).stdout


def same_pages(report, folder):
    database = folder / f"{report.stem}.sqlite"
    sonde("convert", report, database)
    for page in PAGES:
        if sonde(*page, report) != sonde(*page, database):
            sys.exit(f"FAILED: {report.name}: {' '.join(page)} differs")
    check_durations(database)


def check_durations(database):
    """What the tables hold, by SQL, against the table that Sonde prints."""
    rows = sqlite3.connect(database).execute(
        "SELECT launchId, m.value FROM SONDE_KERNEL_PROFILE p JOIN SONDE_KERNEL_METRIC m ON m.profileId = p.id "
        "JOIN StringIds s ON s.id = m.nameId WHERE s.value = 'gpu__time_duration.sum'").fetchall()
    printed = csv.DictReader(io.StringIO(sonde("kernels", "-q", "-f", "csv", "--columns", "id,total_time", database)))
    header = printed.fieldnames
    found = {int(row[header[0]]): float(row[header[1]]) for row in printed if row[header[1]] not in ("", "-")}
    wanted = {launch: value for launch, value in rows if value is not None}
    if {launch: round(value) for launch, value in wanted.items()} != {l: round(v) for l, v in found.items()}:
        sys.exit(f"FAILED: {database}: {wanted} by SQL, {found} printed")


def one_file(folder):
    """The tables of a report beside the timeline that it belongs to: commands join them as they join two files."""
    timeline, report, both = folder / "run.sqlite", folder / "kernels.ncu-rep", folder / "both.sqlite"
    run = joined_pair.launches(same_iterations=False)
    joined_pair.write_timeline(run, timeline)
    joined_pair.write_report([k for k in run if k.function in (joined_pair.GEMM, joined_pair.MAP)], report)
    sonde("convert", timeline, both)
    sonde("convert", report, folder / "kernels.sqlite")
    merge(folder / "kernels.sqlite", both)
    modules = ["modules", "--min-percent", "0", "-f", "csv"]
    if sonde(*modules, timeline, report) != sonde(*modules, both):
        sys.exit("FAILED: modules of one file are not those of two")
    if sonde(*modules, timeline, report) != sonde(*modules, timeline, folder / "kernels.sqlite"):
        sys.exit("FAILED: modules with a converted report are not those with the report")


def merge(source, target):
    """Copies Sonde's own tables, with their texts under ids that the target has not."""
    db = sqlite3.connect(target)
    db.execute("ATTACH ? AS source", (str(source),))
    (shift,) = db.execute("SELECT max(id) + 1 FROM StringIds").fetchone()
    db.execute("INSERT INTO StringIds SELECT id + ?, value FROM source.StringIds", (shift,))
    for table, sql in db.execute("SELECT name, sql FROM source.sqlite_master WHERE name LIKE 'SONDE_%' AND sql IS NOT NULL").fetchall():
        db.execute(sql)
        columns = [name for _, name, *_ in db.execute(f"PRAGMA source.table_info({table})")]
        texts = ("nameId", "NameId", "titleId", "descriptionId", "identifierId", "textId", "messageId", "moduleId", "fileId", "labelId")
        chosen = ", ".join(f"{c} + {shift}" if c.endswith(texts) and c != "profileId" else c for c in columns)
        db.execute(f"INSERT INTO {table} SELECT {chosen} FROM source.{table}")
    db.commit()


def main():
    with tempfile.TemporaryDirectory() as name:
        one_file(Path(name))
        if not DATA:
            print("skipped: SONDE_TEST_DATA names no folder of real reports")
            return
        for report in sorted(Path(DATA, "ncu_rep").glob("*.ncu-rep")):
            same_pages(report, Path(name))
            print(f"{report.name}: ok", flush=True)


if __name__ == "__main__":
    main()
