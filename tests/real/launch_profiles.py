#!/usr/bin/env python3
"""`sonde kernel` on nsys exports against SQL over the same database: launches, total, least, greatest and average duration
of each group of launches with one name, grid, block, registers and shared memory.

Groups are matched by all of these, in any order; IDs are checked to go with falling total time.

usage: SONDE_TEST_DATA=FOLDER [SONDE=PROGRAM] launch_profiles.py [PART OF A FILE NAME]...
"""

import json
import pathlib
import sys
from fractions import Fraction

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "reference"))

import compare
import nsys_database

GROUPS = """
    SELECT demangled, gridX, gridY, gridZ, blockX, blockY, blockZ, registers, static, dynamic,
           count(*), sum(end - start), min(end - start), max(end - start)
    FROM kernel GROUP BY demangled, gridX, gridY, gridZ, blockX, blockY, blockZ, registers, static + dynamic"""
TIMES = ("timeline__launches", "timeline__duration_total", "timeline__duration_min", "timeline__duration_max",
         "timeline__duration_avg")


def expected_groups(path):
    """{(name, grid, block, registers, shared): (launches, total, min, max, average as Fraction)}"""
    groups = {}
    for name, *row in nsys_database.open_database(path).execute(GROUPS):
        grid, block, (registers, static, dynamic), times = row[:3], row[3:6], row[6:9], row[9:]
        groups[name, *grid, *block, registers, static + dynamic] = (*times, Fraction(times[1], times[0]))
    return groups


def printed_groups(document):
    """[(key, times)] in the order of the document, as expected_groups() has them."""
    groups = []
    for kernel in document["kernels"]:
        value = {metric["metric"]: metric["value"] for section in kernel["sections"] for metric in section["metrics"]}
        shared = value["launch__shared_mem_per_block_static"] + value["launch__shared_mem_per_block_dynamic"]
        key = (kernel["name"], *kernel["grid"], *kernel["block"], value["launch__registers_per_thread"], shared)
        groups.append((key, tuple(value[name] for name in TIMES)))
    return groups


def same_times(printed, expected):
    """Whole nanoseconds are exact; the average is a double."""
    return printed[:4] == expected[:4] and abs(Fraction(printed[4]) - expected[4]) <= expected[4] / 2**50


def differences(printed, expected):
    totals = [times[1] for _, times in printed]
    if totals != sorted(totals, reverse=True):
        yield "groups do not stand in the order of their total time"
    keys = [key for key, _ in printed]
    if len(set(keys)) != len(keys):
        yield "a group stands in two places"
    for key in expected.keys() - set(keys):
        yield f"{key} is missing"
    for key, times in printed:
        if key not in expected:
            yield f"{key} is not in the database"
        elif not same_times(times, expected[key]):
            yield f"{key}: {times}, the database has {expected[key]}"


def check(path):
    """(groups compared, lines that tell of differences); (0, []) for a file without kernels."""
    expected = expected_groups(path)
    if not expected:
        return 0, []
    result = compare.run_sonde("kernel", "-q", "--format", "json", path)
    if result.returncode != 0:
        return 0, [f"exit code {result.returncode}: {result.stderr.strip()}"]
    printed = printed_groups(json.loads(result.stdout))
    return len(printed), list(differences(printed, expected))


def main():
    compared = failed = 0
    for path in compare.selected(compare.data_folder("nsys_sqlite").glob("*.sqlite")):
        groups, found = check(path)
        compared, failed = compared + groups, failed + len(found)
        print(f"{'DIFFERS' if found else 'ok' if groups else 'none':8}{path.name}  {groups} groups", flush=True)
        for line in found[:8]:
            print(f"    {line}")
    print(f"{compared} groups compared, {failed} differ")
    return 1 if failed or not compared else 0


if __name__ == "__main__":
    sys.exit(main())
