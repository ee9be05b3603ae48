#!/usr/bin/env python3
"""Checks that `sonde convert IN OUT.sqlite` loses nothing: every report of `sonde stats` is the same from IN and from
OUT.

usage: SONDE_TEST_DATA=FOLDER [SONDE=PROGRAM] [SONDE_TEST_FULL=1] convert_round_trip.py [PART OF A FILE NAME]...
Files above 20 MB uncompressed are left out without SONDE_TEST_FULL=1.
"""

import gzip
import os
import pathlib
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "reference"))

import compare
import nsys_sql
from tables import Report

LIMIT_BYTES = 20_000_000
KEY_COLUMNS = ("Total Time (ns)", "Total (MB)", "Total Proj Time (ns)", "Start (ns)", "API Start (ns)", "Projected Start (ns)")


def above_limit(path):
    if path.suffix != ".gz":
        return path.stat().st_size > LIMIT_BYTES
    with gzip.open(path) as file:
        return len(file.read(LIMIT_BYTES + 1)) > LIMIT_BYTES


def as_report(printed):
    """What was printed as a reference; rows may be exchanged only where the column that orders them shows a tie."""
    if not printed:
        return Report([], [], [])
    header, *rows = printed
    column = next((header.index(title) for title in KEY_COLUMNS if title in header), None)
    keys = [row[column] if column is not None and column < len(row) else "" for row in rows]
    ids = nsys_sql.RANGE_COLUMNS if nsys_sql.RANGE_COLUMNS[0] in header else None
    return Report(header, rows, keys, ids)


ID_COLUMNS = {"Pid", "Tid", "PID", "TID"}
FIRST_INVENTED_ID = 1 << 22


def without_odd_ids(printed):
    """Rows with process and thread ids that the format has no room for made equal: it keeps 24 bits, so that the
    conversion invents an id for a PyTorch thread numbered -247463936, say."""
    columns = [i for i, name in enumerate(printed[0]) if name in ID_COLUMNS] if printed else []
    for row in printed[1:]:
        for i in columns:
            if row[i] and not 0 <= int(row[i]) < FIRST_INVENTED_ID:
                row[i] = "another"
    return printed


def check_report(before, after, report):
    """Rows compared, and the difference if there is one."""
    (wanted, wrong_before), (printed, wrong_after) = (compare.printed_report(path, report) for path in (before, after))
    if wrong_before or wrong_after:
        return 0, f"from the original: {wrong_before}\nfrom the converted: {wrong_after}"
    wanted, printed = without_odd_ids(wanted), without_odd_ids(printed)
    expected = as_report(wanted)
    return len(expected.rows), compare.compare(expected, printed).difference


def check_file(path, folder):
    converted = pathlib.Path(folder) / (path.name.partition(".json")[0] + ".converted.sqlite")
    result = compare.run_sonde("convert", path, converted)
    if result.returncode != 0:
        print(f"DIFFERS {path.name}  convert failed: {result.stderr.strip()}")
        return 1
    differences = rows = 0
    reports = [*nsys_sql.BY_NAME, *nsys_sql.WITH_ARGUMENTS]
    for report in reports:
        count, difference = check_report(path, converted, report)
        rows += count
        if difference:
            differences += 1
            print(f"DIFFERS {path.name}  {report}\n    " + difference.replace("\n", "\n    "), flush=True)
    print(f"{'DIFFERS' if differences else 'ok':8}{path.name}  {len(reports)} reports, {rows} rows", flush=True)
    converted.unlink()
    return differences


def main():
    paths = [*compare.data_folder("nsys_sqlite").glob("*.sqlite"), *compare.data_folder("kineto").glob("*.json*")]
    full = os.environ.get("SONDE_TEST_FULL") == "1"
    differences = files = 0
    for path in compare.selected(paths):
        if not full and above_limit(path):
            print(f"left out {path.name}: above {LIMIT_BYTES} bytes (SONDE_TEST_FULL=1 takes it)")
            continue
        with tempfile.TemporaryDirectory() as folder:
            differences += check_file(path, folder)
        files += 1
    print(f"{files} files, {differences} differences")
    return 1 if differences or not files else 0


if __name__ == "__main__":
    sys.exit(main())
