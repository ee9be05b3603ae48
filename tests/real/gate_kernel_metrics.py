#!/usr/bin/env python3
"""Compares the gate's metrics of kernel reports with those computed from what ncu itself printed of the same reports: the raw
page as CSV.

usage: SONDE_TEST_DATA=FOLDER [SONDE=PROGRAM] gate_kernel_metrics.py [PART OF A REPORT'S NAME...]

FOLDER/ncu_golden holds ncu's output as REPORT.raw.csv.gz; the reports are anywhere in FOLDER. Exits 77 (skipped) without
them. `sonde summary --json` and a bound of `sonde gate` a little below and a little above have to agree with it.
"""

import csv
import gzip
import io
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

SKIPPED = 77
SONDE = os.environ.get("SONDE", "build/release/sonde")
TIMES = {"ns": 1, "nsecond": 1, "us": 1e3, "usecond": 1e3, "ms": 1e6, "msecond": 1e6, "s": 1e9, "second": 1e9}
BYTES = {"byte": 1, "Kbyte": 1e3, "Mbyte": 1e6, "Gbyte": 1e9}
MEANS = {
    "sm_throughput": "sm__throughput.avg.pct_of_peak_sustained_elapsed",
    "dram_throughput": "gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed",
    "l2_throughput": "lts__throughput.avg.pct_of_peak_sustained_elapsed",
    "ipc": "sm__inst_executed.avg.per_cycle_active",
    "achieved_occupancy": "sm__warps_active.avg.pct_of_peak_sustained_active",
}
# ncu prints two decimals of a share, and five digits of an amount with a prefix.
CLOSE = 2e-3


def launches(path):
    """Each launch's numbers by counter; times in ns, bytes in bytes."""
    rows = list(csv.DictReader(io.StringIO(gzip.open(path, "rt", encoding="utf-8", newline="").read())))
    units = rows[0]

    def number(row, name):
        text = (row.get(name) or "").replace(",", "")
        unit = (units.get(name) or "").removesuffix("/s")
        return float(text) * TIMES.get(unit, BYTES.get(unit, 1)) if text and text != "n/a" else None

    return [{name: number(row, name) for name in (*MEANS.values(), *DRAM, "gpu__time_duration.sum")} for row in rows[1:]]


DRAM = ("dram__bytes.sum", "dram__bytes_read.sum", "dram__bytes_write.sum", "dram__bytes_op_read.sum",
        "dram__bytes_op_write.sum", "dram__bytes.sum.per_second")  # fmt: skip


def dram_bytes(launch):
    for names in (("dram__bytes.sum",), DRAM[1:3], DRAM[3:5]):
        if all(launch[name] is not None for name in names):
            return sum(launch[name] for name in names)
    rate = launch["dram__bytes.sum.per_second"]
    return rate * launch["gpu__time_duration.sum"] / 1e9 if rate is not None else None


def expected(of_launches):
    values = {}
    for metric, counter in MEANS.items():
        numbers = [launch[counter] for launch in of_launches]
        weights = [launch["gpu__time_duration.sum"] for launch in of_launches]
        known = None not in numbers
        values[metric] = sum(n * w for n, w in zip(numbers, weights)) / sum(weights) if known else None
    amounts = [dram_bytes(launch) for launch in of_launches]
    values["dram_bytes"] = None if None in amounts else sum(amounts)
    return values


def near(a, b):
    return a == b or (None not in (a, b) and abs(a - b) <= CLOSE * max(abs(a), abs(b)) + 0.006)


def gate_agrees(report, metric, value, unit):
    """Whether the gate's figure is the summary's: between bounds just below and just above it."""
    with tempfile.TemporaryDirectory() as folder:
        budget = Path(folder) / "budget.yaml"
        low, high = (value or 1) * (1 - 1e-9), (value or 1) * (1 + 1e-9) + 1e-12
        budget.write_text(f"rules: ['{metric} >= {low:.15g} {unit}', '{metric} <= {high:.15g} {unit}']\n", encoding="utf-8")
        code = subprocess.run([SONDE, "gate", "--budget", budget, report], capture_output=True, check=False).returncode
    return code == (4 if value is None else 0)


def problems_of(report, raw):
    summary = json.loads(subprocess.run([SONDE, "summary", "--json", report], capture_output=True, check=True).stdout)
    found = []
    for metric, value in expected(launches(raw)).items():
        unit = "%" if metric.endswith(("throughput", "occupancy")) else "B" if metric == "dram_bytes" else ""
        printed = summary["kernel_metrics"][metric + ("_percent" if unit == "%" else "")]
        if not near(printed, value):
            found.append(f"{metric} is {printed}, by ncu's own output {value}")
        if not gate_agrees(report, metric, printed, unit):
            found.append(f"{metric}: the gate does not have the summary's {printed}")
    return found


def main():
    data = Path(os.environ.get("SONDE_TEST_DATA", "../shared/data"))
    raw = sorted((data / "ncu_golden").glob("*.raw.csv.gz"))
    if not raw:
        print("no output of ncu to compare with")
        return SKIPPED
    checked = failures = 0
    for path in raw:
        name = path.name.removesuffix(".raw.csv.gz")
        report = next(iter(data.rglob(name + ".ncu-rep")), None)
        if report is None or (sys.argv[1:] and not any(part in name for part in sys.argv[1:])):
            continue
        found = problems_of(report, path)
        checked += 1
        failures += bool(found)
        print(f"{name}: {'; '.join(found) or 'ok'}")
    print(f"{checked} reports, {failures} with problems")
    return 1 if failures or not checked else 0


if __name__ == "__main__":
    sys.exit(main())
