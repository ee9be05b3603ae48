#!/usr/bin/env python3
"""Compares Sonde's views of measured launches (roofline, memory, occupancy) in each real Nsight Compute report with a
second computation (tests/reference/ncu_views.py) from an independent decoding, and with what Nsight Compute itself
says there: its derived metrics, its roofline rule, its occupancy and its three curves.

The decoder is decode_ncu.py in the folder `tools` beside SONDE_TEST_DATA. Exits 77 (skipped) without data or decoder.
"""
import csv
import json
import os
import re
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "reference"))
sys.path.insert(0, str(Path(__file__).resolve().parent))
import ncu_views as reference  # noqa: E402
from ncu_rep import SKIPPED, load_decoder  # noqa: E402

CURVES = {"threads per block": "launch__occupancy_per_block_size",
          "registers per thread": "launch__occupancy_per_register_count",
          "shared bytes per block": "launch__occupancy_per_shared_mem_size"}
LIMITS = {"registers": "registers", "shared memory": "shared_mem", "warps": "warps", "blocks": "blocks"}


class Findings:
    def __init__(self):
        self.counts = {}
        self.different = []

    def near(self, what, ours, theirs, slack=1e-9):
        self.counts[what] = self.counts.get(what, 0) + 1
        if ours is None or theirs is None or abs(ours - theirs) > slack * max(1.0, abs(theirs)):
            self.different.append(f"{what}: shown {ours}, expected {theirs}")


def check_own_words(views, metrics, rules, found):
    """Rates and shares against what Nsight Compute derives from the same counters."""
    if "error" in views["roofline"]:
        return
    rows = reference.table_of(views["roofline"])
    for (kind, level, _), row in rows.items():
        if level == "L1/TEX" and (stated := metrics.get("derived__l1tex__lsu_writeback_bytes_mem_lg.sum.per_second")):
            found.near("derived", row["Traffic"], stated / 1e9)
        if level == "DRAM" and (share := metrics.get("gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed")):
            found.near("DRAM share", 100 * row["Traffic"] / row["Bandwidth"], share, 1e-3)
        for name, stem in (("FP32", "ffma"), ("FP64", "dfma")):
            stated = metrics.get(f"derived__sm__sass_thread_inst_executed_op_{stem}_pred_on_x2")
            if kind == name and stated:
                found.near("derived", row["Ceiling"], stated * metrics["sm__cycles_elapsed.avg.per_second"] / 1e9)
    for rule in rules:
        text = " ".join(m[2] or "" for m in rule["messages"])
        for fp32, fp64 in re.findall(r"achieved (\d+)% of this device's fp32 peak performance and (\d+)% of", text):
            for name, said in (("FP32", fp32), ("FP64", fp64)):
                row = next(row for (kind, _, _), row in rows.items() if kind == name)
                found.near("rule", 100 * row["Achieved"] / row["Ceiling"], float(said), 0.5 / max(1.0, float(said)))


def check_limits(view, metrics, attributes, found):
    columns = view["columns"]
    rows = {name: {c: columns[c][i] for c in columns} for i, name in enumerate(columns["Limit"])}
    least = min(metrics[f"launch__occupancy_limit_{LIMITS[name]}"] for name in LIMITS)
    for name, metric in LIMITS.items():
        reported = metrics[f"launch__occupancy_limit_{metric}"]
        found.near("limits", rows[name]["Blocks/SM"], reported)
        found.near("limits", float(rows[name]["Binds"] == "yes"), float(reported == least))
    shown = rows["theoretical"]
    placed = reference.theoretical(metrics, attributes)
    found.near("occupancy", shown["Blocks/SM"], least)
    found.near("occupancy", shown["Warps/SM"], metrics["sm__maximum_warps_avg_per_active_cycle"])
    found.near("occupancy", shown["Occupancy"], metrics["sm__maximum_warps_per_active_cycle_pct"])
    found.near("placed blocks", shown["Blocks/SM by formula"], placed[0])
    found.near("placed blocks", shown["Occupancy by formula"], placed[2])
    achieved = metrics.get("sm__warps_active.avg.pct_of_peak_sustained_active")
    if achieved is None:
        found.near("achieved absent", float("achieved" in rows or "not collected" not in view["note"]), 0.0)
    else:
        found.near("achieved", rows["achieved"]["Occupancy"], achieved)


def check_curves(view, metrics, instances, launch, found):
    """Each point of ncu's curve that lies in a step that is shown; and what the note calls the next better point."""
    columns = view["columns"]
    steps = list(zip(columns["Property"], columns["From"], columns["To"], columns["Warps/SM"], columns["Mark"]))
    own = {"threads per block": metrics["launch__block_size"], "registers per thread": metrics["launch__registers_per_thread"],
           "shared bytes per block": metrics["launch__shared_mem_per_block"]}
    warps = launch[1]
    for name, metric in CURVES.items():
        points = instances[metric]
        for _, begin, end, shown, _ in (s for s in steps if s[0] == name):
            for x, stated in points:
                if begin <= x <= end:
                    found.near("curve points", shown, stated)
        marked = [s for s in steps if s[0] == name and s[4] == "this launch"]
        found.near("own point", float(len(marked)), 1.0)
        found.near("own point", float(marked[0][1] <= own[name] <= marked[0][2]), 1.0)
        better = [x for x, stated in points if stated > warps and (
            x % 32 == 0 if name == "threads per block" else x < own[name])]
        nearest = min(better, key=lambda x: (abs(x - own[name]), x), default=None)
        said = re.search(rf"At (\d+) {dict(zip(CURVES, ('threads', 'registers', 'bytes')))[name]} ", view["note"])
        found.near("next better", float(said[1]) if said else -1.0, -1.0 if nearest is None else float(nearest))


def check_kernel(number, views, result, attributes, found):
    metrics = {n: v for n, v, _, _ in result["metrics"] if isinstance(v, (int, float))}
    instances = {n: parts for n, _, parts, _ in result["metrics"] if parts}
    for name in reference.VIEWS:
        compared, different = reference.differences(views[name], metrics)
        found.counts[name] = found.counts.get(name, 0) + compared
        found.different += [f"kernel {number} {line}" for line in different]
    check_own_words(views, metrics, result["rules"], found)
    check_limits(views["occupancy_limits"], metrics, attributes, found)
    # The curves are those of ncu with the carve-out that it states, which 2020.3 does not follow itself.
    launch = reference.theoretical(metrics, attributes)
    check_curves(views["occupancy_curves"], metrics, instances, launch, found)


def check(d, report):
    run = subprocess.run([os.environ["DUMP_TRACE"], "--views", str(report)], capture_output=True, check=True)
    kernels = {}
    for line in run.stdout.splitlines():
        view = json.loads(line)
        kernels.setdefault(view["kernel"], {})[view["view"]] = view
    _, blocks, _, results = d.load(str(report))
    attributes = {n: v for _, _, stated in d.session(blocks)["devices"] for n, v in stated.items()}
    found = Findings()
    found.near("kernels", float(len(kernels)), float(len(results)))
    for number, result in enumerate(results):
        check_kernel(number, kernels[number], result, attributes, found)
    return found


def check_csv(table):
    """Views of a table of `ncu --metrics ... --csv`, whose rows are metrics in base units."""
    by_kernel = {}
    with open(table, encoding="utf-8") as file:
        for row in csv.DictReader(file):
            by_kernel.setdefault(int(row["ID"]), {})[row["Metric Name"]] = float(row["Metric Value"].replace(",", ""))
    run = subprocess.run([os.environ["DUMP_TRACE"], "--views", str(table)], capture_output=True, check=True)
    found = Findings()
    for line in run.stdout.splitlines():
        view = json.loads(line)
        if view["view"] in reference.VIEWS:
            compared, different = reference.differences(view, by_kernel[view["kernel"]])
            found.counts[view["view"]] = found.counts.get(view["view"], 0) + compared
            found.different += [f"kernel {view['kernel']} {d}" for d in different]
    return found


def main():
    data = os.environ.get("SONDE_TEST_DATA")
    decoder = load_decoder(data) if data else None
    if decoder is None:
        print("skipped: SONDE_TEST_DATA does not name a folder of real profiles with decode_ncu.py in ../tools")
        return SKIPPED
    reports = sorted(Path(data, "ncu_rep").iterdir()) + sorted(Path(data, "ncu_csv").glob("*_metrics_*.csv"))
    failures = 0
    for report in reports:
        found = check_csv(report) if report.suffix == ".csv" else check(decoder, report)
        failures += bool(found.different)
        print(f"{'FAIL' if found.different else 'ok  '} {report.name}: "
              + ", ".join(f"{count} {what}" for what, count in found.counts.items()))
        for line in found.different[:20]:
            print(f"     {line}")
    print(f"{len(reports) - failures} of {len(reports)} reports agree")
    return 1 if failures or not reports else 0


if __name__ == "__main__":
    sys.exit(main())
