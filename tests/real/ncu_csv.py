#!/usr/bin/env python3
"""Compares Sonde's reading of real `ncu --csv` output with Python's csv module, and with relations that must hold
between counters of one kernel.

usage: SONDE_TEST_DATA=FOLDER [DUMP_TRACE=PROGRAM] ncu_csv.py [PART OF A FILE NAME]...
"""

import csv
import json
import math
import os
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "reference"))

import compare

DUMP = os.environ.get("DUMP_TRACE", str(compare.ROOT / "build/release/tests/dump_trace"))
PREFIX = {"": 1, "K": 1e3, "M": 1e6, "G": 1e9, "T": 1e12}
TIMES = {"ns": 1, "us": 1e3, "ms": 1e6, "s": 1e9, "nsecond": 1, "usecond": 1e3, "msecond": 1e6, "second": 1e9}
RULE_TYPES = {"OPT": "optimization", "WRN": "warning", "INF": "ok", "ERR": "error"}


def factor(unit):
    """What a printed value is multiplied with to be in ns, bytes, Hz."""
    above, _, below = unit.partition("/")
    if above in TIMES:
        return TIMES[above]
    for name in ("byte", "hz"):
        if above.endswith(name) and above[: -len(name)] in PREFIX:
            return PREFIX[above[: -len(name)]]
    return 1e9 / TIMES[below] if below in TIMES else 1


def rows_of(path):
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    first = next(i for i, line in enumerate(lines) if line.startswith('"ID",'))
    table = [line for line in lines[first:] if line.startswith('"')]
    return list(csv.DictReader(table))


def dump(path):
    result = subprocess.run([DUMP, "--kernels", str(path)], capture_output=True, text=True, check=True)
    lines = [json.loads(line) for line in result.stdout.splitlines()]
    return {kind: [line for line in lines if line["type"] == kind] for kind in ("kernel", "section", "device")}, result.stderr


def value_of(row):
    text = row["Metric Value"]
    if text in ("", "n/a"):
        return None
    try:
        return float(text.replace(",", "")) * factor(row["Metric Unit"])
    except ValueError:
        return text


def same(a, b):
    if isinstance(a, float) and isinstance(b, (int, float)):
        return math.isclose(a, b, rel_tol=1e-12)
    return a == b


def metric_problems(kernel, rows, labels):
    seen = set()
    for row in rows:
        if row.get("Rule Name"):
            continue
        name = labels[row["Section Name"]].get(row["Metric Name"])
        if name is None:
            yield f"{row['Section Name']}/{row['Metric Name']} is not in its section"
        elif name not in seen and not same(value_of(row), kernel["metrics"].get(name)):
            yield f"{name}: {kernel['metrics'].get(name)} for {row['Metric Value']} {row['Metric Unit']}"
        seen.add(name)
    if seen != set(kernel["metrics"]):
        yield f"metrics that are not in the file: {set(kernel['metrics']) - seen}"


def rule_problems(kernel, rows):
    wanted, speedups = [], []
    for row in rows:
        if row.get("Rule Name"):
            wanted.append((row["Section Name"], row["Rule Name"], RULE_TYPES[row["Rule Type"]], row["Rule Description"]))
            if row["Estimated Speedup"]:
                speedups.append((row["Rule Name"], row["Estimated Speedup Type"], float(row["Estimated Speedup"])))
    found = [(r["section"], r["id"], kind, text) for r in kernel["rules"] for kind, _, text in r["texts"]]
    if sorted(found) != sorted(wanted):
        yield f"{len(found)} rule texts, {len(wanted)} expected"
    estimates = [(r["id"], scope, percent) for r in kernel["rules"] for scope, percent in r["speedups"]]
    if sorted(estimates) != sorted(speedups):
        yield f"speedups {estimates}, expected {speedups}"


def volume(text):
    return math.prod(int(part) for part in text.strip("()").split(","))


def identities(m, row):
    """(what, left side, right side, relative tolerance) between metrics: these hold only if labels mean what they do."""
    get = m.get
    cycles, hz, ns = get("gpc__cycles_elapsed.max"), get("gpc__cycles_elapsed.avg.per_second"), get("gpu__time_duration.sum")
    if cycles and hz and ns:
        yield "cycles = clock * time", cycles, hz * ns / 1e9, 0.02
    if get("launch__block_size"):
        yield "block size", get("launch__block_size"), volume(row["Block Size"]), 0
        yield "grid size", get("launch__grid_size"), volume(row["Grid Size"]), 0
        yield "threads", get("launch__thread_count"), volume(row["Grid Size"]) * volume(row["Block Size"]), 0
    eligible, none = get("smsp__issue_active.avg.pct_of_peak_sustained_active"), get("smsp__issue_inst0.avg.pct_of_peak_sustained_active")
    if eligible is not None and none is not None:
        yield "eligible or not", eligible + none, 100, 1e-4
    limits = [v for k, v in m.items() if k.startswith("launch__occupancy_limit_")]
    warps = get("sm__maximum_warps_avg_per_active_cycle")
    if limits and warps:
        yield "warps = fewest blocks * warps of a block", warps, min(limits) * math.ceil(volume(row["Block Size"]) / 32), 0
        share, of = get("sm__maximum_warps_per_active_cycle_pct"), get("sm__warps_active.avg.pct_of_peak_sustained_active")
        yield "achieved warps", get("sm__warps_active.avg.per_cycle_active") / warps, of / share, 0.005
    issued, executed = get("smsp__inst_issued.sum"), get("smsp__inst_issued.avg")
    if issued and executed and get("launch__sm_count"):
        yield "instructions of a scheduler", executed * 4 * get("launch__sm_count"), issued, 1e-4
        yield "cycles of a warp", get("smsp__average_warp_latency_per_inst_issued.ratio") * issued / (4 * get("launch__sm_count")), get(
            "smsp__warps_active.avg.per_cycle_active") * get("smsp__cycles_active.avg"), 0.01
    sm_count, total = get("launch__sm_count"), get("sm__cycles_elapsed.sum")
    if sm_count and total and cycles:
        yield "cycles of all SMs", total / sm_count, cycles, 0.05


def check(path):
    rows, (lines, log) = rows_of(path), dump(path)
    labels = {s["title"]: dict(s["header"]) for s in lines["section"]}
    ids = sorted({(int(r["Process ID"]), int(r["ID"])) for r in rows})
    problems = []
    if ids != sorted((k["process"], k["id"]) for k in lines["kernel"]):
        problems.append(f"{len(lines['kernel'])} launches, {len(ids)} expected")
    held = 0
    for kernel in lines["kernel"]:
        mine = [r for r in rows if (int(r["Process ID"]), int(r["ID"])) == (kernel["process"], kernel["id"])]
        first = mine[0]
        if (kernel["name"], kernel["grid"], kernel["block"]) != (first["Kernel Name"], *(
                [int(n) for n in first[c].strip("()").split(",")] for c in ("Grid Size", "Block Size"))):
            problems.append(f"launch {kernel['id']} is {kernel['name']} {kernel['grid']} {kernel['block']}")
        device = lines["device"][kernel["device"]]
        if f"{device['compute_major']}.{device['compute_minor']}" != first["CC"]:
            problems.append(f"compute capability of {device}")
        problems += [*metric_problems(kernel, mine, labels), *rule_problems(kernel, mine)]
        for what, left, right, tolerance in identities(kernel["metrics"], first):
            held += 1
            if not math.isclose(left, right, rel_tol=tolerance):
                problems.append(f"{what}: {left} and {right}")
    unknown = [line for line in log.splitlines() if line.startswith("unknown_label")]
    print(f"{path.name}: {len(rows)} rows, {len(ids)} launches, {held} identities, {len(unknown)} unknown labels, {len(problems)} problems")
    for problem in problems:
        print(f"  {problem}")
    return not problems


def main():
    files = compare.selected([*compare.data_folder("ncu_csv").iterdir()])
    return 0 if all([check(path) for path in sorted(files)]) else 1


if __name__ == "__main__":
    sys.exit(main())
