#!/usr/bin/env python3
"""Compares Sonde's import of each real Nsight Compute report, field by field, with an independent decoder.

The decoder is decode_ncu.py in the folder `tools` beside SONDE_TEST_DATA. Three more checks need no decoder: the parts of
a metric sum up to it, numbers in the tool's own advice equal the metrics that they talk of, and so do the metrics that
the advice points at. Exits 77 (skipped) without data or decoder.
"""
import importlib.util
import json
import os
import re
import subprocess
import sys
from pathlib import Path

SKIPPED = 77
KINDS = {"NONE": "none", "OK": "ok", "WARN": "warning", "ERROR": "error", "OPTIMIZATION": "optimization"}
SCOPES = {1: "local", 2: "global"}


def load_decoder(data):
    path = Path(data).parent / "tools" / "decode_ncu.py"
    if not path.is_file():
        return None
    spec = importlib.util.spec_from_file_location("decode_ncu", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def or_none(text):
    return text or None


def expected_kernel(d, raw, result, number):
    """A result of the decoder in the shape of the dump."""
    stack = d.one(raw, 28)
    frames = [[or_none(d.S(d.one(f, 1))), or_none(d.S(d.one(f, 4))), or_none(d.S(d.one(f, 3))), d.one(f, 5, 0),
               d.one(f, 2, 0)] for f in d.many(stack, 1)] if stack is not None else []
    return {
        "id": number,
        "name": result["name"] or result["mangled"],
        "function_name": or_none(result["function"]),
        "mangled_name": or_none(result["mangled"]),
        "grid": list(result["grid"]),
        "block": list(result["block"]),
        "thread": result["tid"],
        "context": result["context"],
        "stream": result["stream"],
        "created_utc_s": result["created"],
        "metrics": {name: value for name, value, _, _ in result["metrics"]},
        "instances": {name: [list(i) for i in parts] for name, _, parts, _ in result["metrics"] if parts},
        "sections": [s["id"] for s in sorted(result["sections"], key=lambda s: (s["order"], s["name"]))],
        "rules": [expected_rule(r) for r in result["rules"]],
        "ranges": [[domain, name] for _, _, domain, name in result["nvtx"]],
        "call_stack": frames,
    }


def expected_rule(rule):
    return {
        "id": rule["id"], "name": rule["name"], "section": or_none(rule["section"]),
        "texts": [[KINDS[kind], or_none(title), or_none(text)] for kind, title, text in rule["messages"]],
        "focus": [[name, value, severity or 0, or_none(text)] for name, value, severity, text in rule["focus"]],
        "speedups": [[SCOPES.get(kind, "unknown"), percent] for kind, percent in rule["speedups"]],
    }


def comparable(kernel, template):
    out = {key: kernel[key] for key in template}
    out["rules"] = [{key: rule[key] for key in ("id", "name", "section", "texts", "focus", "speedups")}
                    for rule in kernel["rules"]]
    out["ranges"] = [r[:2] for r in kernel["ranges"]]
    return out


def compare(ours, theirs, path, found):
    if isinstance(ours, dict) and isinstance(theirs, dict):
        for key in ours.keys() | theirs.keys():
            compare(ours.get(key, "(absent)"), theirs.get(key, "(absent)"), f"{path}/{key}", found)
    elif isinstance(ours, list) and isinstance(theirs, list) and len(ours) == len(theirs):
        for i, (a, b) in enumerate(zip(ours, theirs)):
            compare(a, b, f"{path}[{i}]", found)
    else:
        found["fields"] += 1
        if ours != theirs:
            found["different"].append(f"{path}: imported {ours!r}, decoded {theirs!r}")


def is_for(d, filter_message, capability):
    """Whether a filter of a metric contains a compute capability (8.6 is 86)."""
    if filter_message is None:
        return True
    ranges = [(d.one(r, 1, 0), d.one(r, 2, 10**9)) for r in d.many(filter_message, 3)]
    if d.one(filter_message, 1) is not None or d.one(filter_message, 2) is not None:
        ranges.append((d.one(filter_message, 1, 0), d.one(filter_message, 2, 10**9)))
    return not ranges or any(first <= capability <= last for first, last in ranges)


def metric_on(d, message, capability):
    """The metric behind a label on a GPU; None where there is none."""
    for option in d.many(message, 7):
        if is_for(d, d.one(option, 3), capability):
            return or_none(d.S(d.one(option, 1)))
    return or_none(d.S(d.one(message, 1))) if is_for(d, d.one(message, 6), capability) else None


def capability_of(session, kernels):
    """In the session since 2021, before that among the metrics."""
    known = dict(kernels[0]["metrics"]) | session["devices"][0][2]
    return int(10 * known["device__attribute_compute_capability_major"]
               + known["device__attribute_compute_capability_minor"])


def check_sections(d, results, capability, dumped, found):
    """Every definition of a section that the results carry is one that was imported, with the metrics of its GPU."""
    known = [s for s in dumped if s["type"] == "section"]
    for raw in results:
        for message in d.many(raw, 17):
            header = [[or_none(d.S(d.one(m, 2))), metric_on(d, m, capability)]
                      for m in d.many(d.one(message, 4, b""), 2)]
            header = [row for row in header if row[1]]
            wanted = {"id": d.S(d.one(message, 1)), "title": d.S(d.one(message, 2)), "order": d.one(message, 3, 0),
                      "description": or_none(d.S(d.one(message, 7))), "header": header,
                      "sets": [d.S(d.one(s, 1)) for s in d.many(message, 8)]}
            found["fields"] += len(wanted) + len(header)
            if not any(all(s[key] == value for key, value in wanted.items()) for s in known):
                found["different"].append(f"section {wanted['id']} was not imported as decoded")


def check_devices(session, dumped, found):
    devices = [x for x in dumped if x["type"] == "device"]
    theirs = [{"id": index or 0, "name": name, "attributes": attributes}
              for index, name, attributes in session["devices"]]
    compare([{key: x[key] for key in ("id", "name", "attributes")} for x in devices], theirs, "devices", found)


def check_functions(sources, dumped, found):
    """Each function that the report places on the device has its address."""
    ours = {(f["mangled_name"], f["address"]) for f in dumped if f["type"] == "function"}
    for source in sources:
        for name, address, _ in source["kernels"]:
            found["fields"] += 1
            if (name, address) not in ours:
                found["different"].append(f"function {name} at {address} is not there")


def check_sums(kernel, found):
    """What is counted by address or opcode sums up to the whole. Averages and limits per size do not."""
    for name, parts in kernel["instances"].items():
        whole = kernel["metrics"][name]
        values = [v for _, v in parts]
        if not isinstance(whole, (int, float)) or any(not isinstance(v, (int, float)) for v in values) or len(parts) < 2:
            continue
        found["sums"] += 1
        if abs(sum(values) - whole) > 1e-9 * max(1.0, abs(whole)):
            found["different"].append(f"kernel {kernel['id']} {name}: {whole}, its parts sum up to {sum(values)}")


def check_advice(kernel, found):
    """Numbers in the tool's texts against our metrics."""
    metrics = kernel["metrics"]
    for rule in kernel["rules"]:
        text = " ".join(t[2] or "" for t in rule["texts"])
        pairs = []
        for theory, measured in re.findall(r"theoretical \(([\d.]+)%\) and measured achieved occupancy \(([\d.]+)%\)", text):
            pairs += [(theory, metrics["sm__maximum_warps_per_active_cycle_pct"]),
                      (measured, metrics["sm__warps_active.avg.pct_of_peak_sustained_active"])]
        for blocks, sms in re.findall(r"only (\d+) blocks, which is less than the GPU's (\d+) multiprocessors", text):
            pairs += [(blocks, metrics["launch__grid_size"]), (sms, metrics["device__attribute_multiprocessor_count"])]
        for waves in re.findall(r"resulting in only ([\d.]+) full waves", text):
            pairs.append((waves, metrics["launch__waves_per_multiprocessor"]))
        for said, value in pairs:
            found["texts"] += 1
            digits = len(said.partition(".")[2])
            if abs(float(said) - value) > 0.5000001 * 10 ** -digits:
                found["different"].append(f"kernel {kernel['id']} {rule['id']} says {said}, the metric is {value}")
        for name, value, _, _ in rule["focus"]:
            # A known slip of the tool's bottleneck rule: it names compute throughput and gives memory's value.
            slip = metrics.get("gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed")
            if name not in metrics:
                continue
            found["texts"] += 1
            if value not in (metrics[name], slip) and abs(value - metrics[name]) > 1e-9 * abs(value):
                found["different"].append(f"kernel {kernel['id']} {rule['id']} has {name} = {value}, "
                                          f"the metric is {metrics[name]}")


def check(d, report):
    run = subprocess.run([os.environ["DUMP_TRACE"], "--kernels", str(report)], capture_output=True, check=False)
    if run.returncode != 0:
        return {"different": [run.stderr.decode(errors="replace")]}
    dumped = [json.loads(line) for line in run.stdout.splitlines()]
    kernels = [x for x in dumped if x["type"] == "kernel"]
    _, blocks, _, results = d.load(str(report))
    raws = [raw for block in blocks for raw in block["results"]]
    found = {"fields": 0, "sums": 0, "texts": 0, "kernels": len(kernels), "different": []}
    if len(kernels) != len(results):
        found["different"].append(f"{len(kernels)} kernels imported, {len(results)} decoded")
    for number, (kernel, raw, result) in enumerate(zip(kernels, raws, results)):
        expected = expected_kernel(d, raw, result, number)
        compare(comparable(kernel, expected), expected, f"kernel {number}", found)
        check_sums(kernel, found)
        check_advice(kernel, found)
    check_sections(d, raws, capability_of(d.session(blocks), kernels), dumped, found)
    check_devices(d.session(blocks), dumped, found)
    check_functions(d.sources(blocks), dumped, found)
    return found


def main():
    data = os.environ.get("SONDE_TEST_DATA")
    decoder = load_decoder(data) if data else None
    if decoder is None:
        print("skipped: SONDE_TEST_DATA does not name a folder of real profiles with decode_ncu.py in ../tools")
        return SKIPPED
    reports = sorted(Path(data, "ncu_rep").iterdir())
    failures = 0
    for report in reports:
        found = check(decoder, report)
        failures += bool(found["different"])
        print(f"{'FAIL' if found['different'] else 'ok  '} {report.name}: "
              + ", ".join(f"{count} {what}" for what, count in found.items() if what != "different"))
        for line in found["different"][:20]:
            print(f"     {line}")
    print(f"{len(reports) - failures} of {len(reports)} reports agree")
    return 1 if failures or not reports else 0


if __name__ == "__main__":
    sys.exit(main())
