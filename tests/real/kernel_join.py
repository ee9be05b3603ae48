#!/usr/bin/env python3
"""A real timeline and a real kernel report of one program: all six kernels match, in `sonde modules` and `sonde why`.

Which launches there are, and for how long, comes from SQL over the timeline; name, grid, block and registers of them all are
those of the report's kernels. A report of another program matches nothing.

usage: SONDE_TEST_DATA=FOLDER [SONDE=PROGRAM] kernel_join.py
"""

import json
import pathlib
import sys
from collections import Counter

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "reference"))

import compare
import nsys_database

TIMELINE = "extrap_six_kernels_callchains.sqlite"
REPORT = "extrap_s10.ncu-rep"
OTHER_REPORT = "mojo_gtx1660ti.ncu-rep"
LAUNCHES = """SELECT demangled, gridX, gridY, gridZ, blockX, blockY, blockZ, registers, end - start FROM kernel"""


def sonde(*arguments):
    result = compare.run_sonde(*arguments)
    if result.returncode not in ((0, 3, 4) if arguments[0] == "why" else (0,)):
        sys.exit(f"sonde {arguments[0]}: {result.stderr.strip()}")
    return result


def measured_kernels(report):
    """(name, grid, block, registers) of each kernel of a report."""
    document = json.loads(sonde("kernel", "-q", "--format", "json", report).stdout)
    rows = json.loads(sonde("kernels", "-q", "-f", "json", "--columns", "id,registers", report).stdout)
    registers = {row["ID"]: row["Reg/Thread"] for row in rows}
    return Counter((k["name"], *k["grid"], *k["block"], int(registers[k["id"]])) for k in document["kernels"])


def problems(timeline, report, other):
    launches = list(nsys_database.open_database(timeline).execute(LAUNCHES))
    if Counter(tuple(row[:8]) for row in launches) != measured_kernels(report):
        yield "the pair is no pair: other kernels on the timeline than in the report"
    document = json.loads(sonde("why", "--json", timeline, report).stdout)
    total = sum(row[8] for row in launches)
    wanted = {"launches": 6, "matched_launches": 6, "own_launches": 6, "launches_ns": total, "matched_launches_ns": total,
              "measured_kernels": 6, "matched_measured_kernels": 6}
    if document["measured"] != wanted:
        yield f"why: {document['measured']}, expected {wanted}"
    (row,) = json.loads(sonde("modules", "-q", "-f", "json", timeline, report).stdout)
    if (row["Measured (%)"], row["Device Total (ns)"]) != (100, total):
        yield f"modules: {row}"
    if json.loads(sonde("why", "--json", timeline, other).stdout)["measured"]["matched_launches"] != 0:
        yield "kernels of another program match"


def main():
    timeline = compare.data_folder("nsys_sqlite") / TIMELINE
    reports = compare.data_folder("ncu_rep")
    found = list(problems(timeline, reports / REPORT, reports / OTHER_REPORT))
    print("\n".join(found) if found else "6 of 6 launches match")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
