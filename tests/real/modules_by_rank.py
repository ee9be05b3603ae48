#!/usr/bin/env python3
"""`sonde modules --by-rank` of the ranks of a run against `sonde modules` of each rank's file alone, and the ranks of each row
against its sum.

usage: SONDE_TEST_DATA=FOLDER [SONDE=PROGRAM] modules_by_rank.py
"""

import csv
import io
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "reference"))

import compare


def rows_of(*arguments):
    result = compare.run_sonde("modules", "-q", "-f", "csv", "--min-percent", "0", "--exact-names", *arguments)
    return list(csv.DictReader(io.StringIO(result.stdout)))


def by_path(rows, column):
    """Device time by the names from the top of the tree to the module."""
    times, path = {}, []
    for row in rows:
        path = [*path[: int(row["Level"])], row["Module"]]
        if int(row[column]) > 0:
            times[tuple(path)] = int(row[column])
    return times


def check_sums(rows):
    ranks = [column for column in (rows[0] if rows else {}) if re.match(r"Device (rank|GPU) ", column)]
    wrong = 0
    for row in rows:
        times = [int(row[column]) for column in ranks]
        wrong += sum(times) != int(row["Device Total (ns)"])
        wrong += (min(times), max(times)) != (int(row["Rank Min (ns)"]), int(row["Rank Max (ns)"]))
    return wrong


def main():
    files = sorted(compare.data_folder("kineto").glob("hta_sampled_rank-*"))
    together = rows_of("--by-rank", *files)
    wrong = check_sums(together)
    for rank, path in enumerate(files):
        one = by_path(together, f"Device rank {rank} (ns)")
        alone = by_path(rows_of(path), "Device Total (ns)")
        wrong += one != alone
        print(f"{'ok' if one == alone else 'DIFFERS':8}{path.name}  {len(alone)} modules")
    for path in sorted(compare.data_folder("nsys_sqlite").glob("*two_gpu*")):
        rows = rows_of("--by-rank", path)
        bad = check_sums(rows)
        wrong += bad + (not rows)
        print(f"{'DIFFERS' if bad else 'ok':8}{path.name}  {len(rows)} rows of two GPUs")
    return 1 if wrong or len(files) < 2 else 0


if __name__ == "__main__":
    sys.exit(main())
