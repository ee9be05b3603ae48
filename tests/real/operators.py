#!/usr/bin/env python3
"""`torch_op_shape_sum` of every real PyTorch trace against the work of the same operators computed from the JSON alone.

Compares time, calls, kernels, FLOP and bytes of each operator and shape; rates and share of the roofline with figures of
the data sheets that are written down here. Then each finding `below_roofline_*` of `sonde why`: the operator that it names
runs at the named rate, below a third of the roofline, in kernels of at least 10 us.

usage: SONDE_TEST_DATA=FOLDER [SONDE=PROGRAM] operators.py [PART OF A FILE NAME]...
"""

import json
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "reference"))

import compare
import operator_work

TEXTS = ("Name", "Input Shapes", "Input Types", "Other Inputs")

# TFLOP/s by precision, TB/s: data sheets, dense.
H100 = {"BF16": 989.4, "FP16": 989.4, "TF32": 494.7, "3xTF32": 494.7 / 3, "FP32": 67, "FP64": 67, "": None, "memory": 3.35}
A100 = {"BF16": 312, "FP16": 312, "TF32": 156, "3xTF32": 52, "FP32": 19.5, "FP64": 19.5, "": None}
V100 = {"FP16": 125, "FP32": 15.7, "FP64": 7.8, "": None, "BF16": None, "memory": 0.9}
MI300X = {"BF16": 1307.4, "FP16": 1307.4, "FP64": 163.4, "FP32": 163.4, "": None, "memory": 5.3}
PEAKS = {
    "NVIDIA H100 80GB HBM3": H100, "NVIDIA A100-PG509-200": A100 | {"memory": 1.555},
    "NVIDIA A100-SXM4-80GB": A100 | {"memory": 2.039}, "Tesla V100-SXM2-16GB": V100, "Tesla V100-SXM2-32GB": V100,
    "Tesla V100-DGXS-32GB": V100, "AMD Instinct MI300X": MI300X, "AMD Instinct MI300X VF": MI300X,
    "NVIDIA B200": {"BF16": 2250, "FP16": 2250, "TF32": 1100, "FP32": 75, "FP64": 37, "": None, "memory": 8.0},
}
COUNTS_FLOP = ("matrix product", "convolution", "attention")


def peaks_of(document):
    names = {d.get("name") for d in document.get("deviceProperties", [])} if isinstance(document, dict) else set()
    return PEAKS.get(names.pop()) if len(names) == 1 else None


def number(text):
    return float(text) if text else None


def printed(path):
    rows, error = compare.printed_report(path, "torch_op_shape_sum")
    if error:
        sys.exit(f"{path.name}: {error}")
    return [dict(zip(rows[0], row)) for row in rows[1:]] if rows else []


def sums_of(rows):
    """By label: time, calls, kernels, FLOP, bytes."""
    found = {}
    for row in rows:
        key = tuple(row[t] for t in TEXTS)
        calls = int(row["Calls"])
        flop, moved = number(row["FLOP Avg (GFLOP)"]), number(row["Bytes Avg (MB)"])
        old = found.get(key, (0, 0, 0, 0, 0))
        new = (int(row["GPU Time (ns)"]), calls, int(row["Kernels"]), None if flop is None else flop * 1e9 * calls,
               None if moved is None else moved * 1e6 * calls)
        found[key] = tuple(operator_work.total(a, b) for a, b in zip(old, new))
    return found


def near(value, expected, step):
    """Whether a printed value is the expected one rounded to a multiple of `step`."""
    if value is None or expected is None:
        return value is None and expected is None
    return abs(value - expected) <= 0.501 * step + 1e-9 * abs(expected)


def wrong_sums(rows, expected):
    problems = []
    found = sums_of(rows)
    for key in found.keys() ^ expected.keys():
        problems.append(f"{key} only {'printed' if key in found else 'in the JSON'}")
    for key in found.keys() & expected.keys():
        time, calls, kernels, flop, moved = found[key]
        e = expected[key]
        same = (calls, kernels) == (e.calls, e.kernels) and abs(time - e.time) <= kernels
        # Averages are printed to the MFLOP and the kB.
        if not same or not near(flop, e.flop, 1e6 * calls) or not near(moved, e.bytes, 1e3 * calls):
            problems.append(f"{key}: {found[key]}, expected {(e.time, e.calls, e.kernels, e.flop, e.bytes)}")
    return problems


def wrong_rates(rows, expected, peaks):
    problems = []
    for row in rows:
        e = expected[tuple(row[t] for t in TEXTS)]
        time = int(row["GPU Time (ns)"])
        if not time or int(row["Calls"]) != e.calls:
            continue  # several rows of one label: kernels of several precisions
        rates = (("Compute (TFLOP/s)", e.flop, 1e3, 0.01), ("Memory (TB/s)", e.bytes, 1e3, 0.001))
        problems += [f"{row['Name']} {row['Input Shapes']}: {title} is {row[title]}" for title, work, scale, step in rates
                     if not near(number(row[title]), None if work is None else work / time / scale, step)]
        roof = roofline_ns(row, e, peaks)
        if not near(number(row["Roofline (%)"]), None if roof is None else 100 * roof / time, 0.1):
            problems.append(f"{row['Name']} {row['Input Shapes']}: Roofline is {row['Roofline (%)']}, expected {roof} ns")
    return problems


def roofline_ns(row, work, peaks):
    if peaks is None or work.bytes is None:
        return None
    memory = work.bytes / peaks["memory"] / 1e3
    if row["Kind"] not in COUNTS_FLOP:
        return memory
    peak = peaks[row["Precision"]]
    return None if peak is None or work.flop is None else max(memory, work.flop / peak / 1e3)


def measured(expected, name):
    """Time, kernels, FLOP and bytes of the operator that a finding names: "aten::mm (64x32, 32x16)"."""
    operator, _, shapes = name.removesuffix(")").partition(" (")
    same = operator_work.Sum()
    for (label, dims, _, _), e in expected.items():
        tensors = [t.strip("[]").replace(",", "x") for t in dims.split("; ") if t.count("[") == 1 and "," in t]
        if label == operator and ", ".join(tensors[:2]) == shapes and e.bytes is not None:
            same.time += e.time
            same.kernels += e.kernels
            same.flop = operator_work.total(same.flop, e.flop)
            same.bytes += e.bytes
    return same


def wrong_findings(path, expected, peaks):
    """(problems, findings checked)"""
    printed = compare.run_sonde("why", "--all", "-f", "json", path)
    if not printed.stdout:
        return [f"why: {printed.stderr.strip()}"], 0
    problems, checked = [], 0
    for finding in json.loads(printed.stdout)["findings"]:
        if not finding["id"].startswith("below_roofline"):
            continue
        checked += 1
        named = finding["arguments"]
        m = measured(expected, named["operator"])
        rate, peak, unit = float(named["rate"].split()[0]), float(named["rate"].split()[2]), named["rate"].split()[3]
        work = (m.bytes if unit == "TB/s" else m.flop) or 0
        own = work / m.time / 1e3 if m.time else 0
        known = peaks and any(p and abs(p - peak) < 1 for p in peaks.values())
        if not known or abs(own - rate) > 0.1 * own + 0.6 * (1 if unit != "TB/s" else 0.01):
            problems.append(f"{finding['id']}: {named['operator']} at {named['rate']}, own {own:.3f} {unit}")
        if own > 0.34 * peak or m.time < 10_000 * m.kernels:
            problems.append(f"{finding['id']}: {named['operator']} is not far below its roofline, or short")
    return problems, checked


def main():
    root = compare.data_folder("kineto").parent
    files = [p for folder in ("kineto", "h100", "pairs") for p in (root / folder).glob("*.json*") if p.name != "truth.json"]
    wrong = compared = findings = 0
    for path in compare.selected(files):
        document, events = operator_work.load(path)
        expected = operator_work.by_label(events)
        rows = printed(path)
        problems = wrong_sums(rows, expected)
        if not problems:
            problems = wrong_rates(rows, expected, peaks_of(document))
        more, checked = wrong_findings(path, expected, peaks_of(document))
        problems += more
        findings += checked
        flop = sum(1 for e in expected.values() if e.flop)
        print(f"{'DIFFERS' if problems else 'ok':8}{path.name}  {len(expected)} shapes, {flop} with FLOP, {checked} findings", flush=True)
        for problem in problems[:5]:
            print("    " + problem)
        wrong += bool(problems)
        compared += len(expected)
    print(f"{compared} shapes compared, {findings} findings checked, {wrong} files differ")
    return 1 if wrong or not compared else 0


if __name__ == "__main__":
    sys.exit(main())
