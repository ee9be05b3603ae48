#!/usr/bin/env python3
"""`sonde stats -r communication_sum` and `collective_trace` of every real profile with GPU work against the same computed a
second time: equal to the nanosecond. Where Holistic Trace Analysis and TraceLens mean the same quantity, their definition is
computed too and must give the same; where kernels that are not NCCL's communicate, it may not (docs/profiles/findings.md).

usage: SONDE_TEST_DATA=FOLDER [SONDE=PROGRAM] communication.py [PART OF A FILE'S NAME...]
"""

import json
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "reference"))

import communication as reference
import compare

TIMES = ("Total Time (ns)", "Idle Time (ns)", "Compute Time (ns)", "Exposed Comm (ns)", "Exposed Copies (ns)",
         "Comm Time (ns)")


def rows_of_sonde(report, *paths):
    result = compare.run_sonde("stats", "-q", "-r", report, "-f", "json", *paths)
    return json.loads(result.stdout or "[]") if result.returncode == 0 else None


def times_of(row):
    return tuple(row[name] for name in TIMES)


def check_times(path):
    """(GPUs compared, GPUs that differ)."""
    wanted = reference.breakdowns(path)
    found = [row for row in rows_of_sonde("communication_sum", path) or [] if row["GPU"] != "all GPUs"]
    differ = sorted(map(times_of, found)) != sorted(map(times_of, wanted.values()))
    theirs = reference.breakdowns(path, reference.class_of_analysis)
    other = sum(theirs[place] != mine for place, mine in wanted.items())
    print(f"{'DIFFERS' if differ else 'ok':8}{path.name}  {len(wanted)} GPUs"
          + (f", {other} of them another breakdown where only NCCL communicates" if other else ""))
    for row in (found if differ else []):
        print("    sonde   ", row["GPU"], times_of(row))
    for place, sums in (wanted.items() if differ else []):
        print("    expected", place, times_of(sums))
    return len(wanted), int(differ)


def matched(files):
    """What the kernels of two GPUs tell: pairs that run at once, in order. Kernels of one name on each of the GPUs."""
    names = {}
    for path in files:
        for op in reference.operations_of(path):
            if op.kind == "kernel" and reference.class_of_sonde(op) == "comm":
                names.setdefault(op.name, {}).setdefault((path, op.place), []).append(op)
    pairs = []
    for places in names.values():
        if len(places) != 2:
            continue
        one, other = (sorted(ops, key=lambda op: op.start) for ops in places.values())
        while one and other:
            start, end = max(one[0].start, other[0].start), min(one[0].end, other[0].end)
            if start < end:
                a, b = one.pop(0), other.pop(0)
                pairs.append((max(a.end, b.end) - start, start - min(a.start, b.start)))
            else:
                (one if one[0].end <= other[0].end else other).pop(0)
    return sorted(pairs)


def check_collectives(files):
    wanted = matched(files)
    found = rows_of_sonde("collective_trace", *files) or []
    spreads = sorted(row["Entry Spread (ns)"] for row in found)
    transfers = sorted(row["Transfer (ns)"] for row in found if row["Transfer (ns)"] is not None)
    differ = spreads != sorted(spread for _, spread in wanted)
    differ |= bool(transfers) and transfers != [transfer for transfer, _ in wanted]
    print(f"{'DIFFERS' if differ else 'ok':8}{files[0].name}  {len(wanted)} collectives of two GPUs")
    return int(differ)


def main():
    databases = compare.data_folder("nsys_sqlite").glob("*.sqlite")
    traces = [path for path in compare.data_folder("kineto").iterdir() if ".json" in path.name]
    results = [check_times(path) for path in compare.selected([*databases, *traces])]
    gpus, wrong = (sum(column) for column in zip(*results)) if results else (0, 0)
    print(f"{len(results)} files, {gpus} GPUs compared, {wrong} files differ")
    for parts in (("two_gpu_nccl",), ("h100_two_gpu",), ("hta_sampled_rank-0", "hta_sampled_rank-1")):
        files = [path for part in parts for path in
                 [*compare.data_folder("nsys_sqlite").glob(f"{part}*"), *compare.data_folder("kineto").glob(f"{part}*")]]
        wrong += check_collectives(files) if files else 0
    return 1 if wrong or not gpus else 0


if __name__ == "__main__":
    sys.exit(main())
