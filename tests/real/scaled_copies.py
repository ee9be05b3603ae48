#!/usr/bin/env python3
"""Rules judge work, not names: copies of the H100 traces with other kernel and module names, without hashes, tile sizes and
template arguments, and with all times and sizes 1.25 times as large, get the same main findings."""

import gzip
import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

FACTOR = 1.25  # a batch of 8 becomes 10: with another factor FLOP would grow less than the time
NOTHING_FOUND = 3
MAIN = 2  # findings that have to stay, in their order
LEAST_PERCENT = 5  # the reach of smaller ones changes with limits that are times
OF_PYTORCH = re.compile(r"ProfilerStep|Optimizer\.|DataLoader|enumerate")  # annotations that no user names


def data_folder():
    folder = os.environ.get("SONDE_TEST_DATA")
    if not folder or not (Path(folder) / "h100").is_dir():
        print("skipped: SONDE_TEST_DATA has no folder h100")
        sys.exit(77)
    return Path(folder) / "h100"


def bare(name):
    """A kernel's name without what a build or a choice of tiles puts into it."""
    previous = None
    while previous != name:
        previous, name = name, re.sub(r"<[^<>]*>", "", name)
    return re.sub(r"[0-9a-f]{8,}", "", re.sub(r"_?\d+x\d+(x\d+)*(_\d+x\d+)*", "", name))


def scaled_shape(shape, batch):
    """A tensor with the batch's first dimension gets a larger one."""
    if not isinstance(shape, list) or not shape or not isinstance(shape[0], int) or shape[0] != batch:
        return shape
    return [round(shape[0] * FACTOR), *shape[1:]]


def scale_sizes(event, arguments):
    if "bytes" in arguments:
        arguments["bytes"] = round(arguments["bytes"] * FACTOR)
    shapes = arguments.get("Input Dims")
    first = next((s for s in shapes or [] if isinstance(s, list) and s and isinstance(s[0], int)), None)
    if first is None:
        return
    if event["name"].endswith(("::mm", "::addmm", "::linear", "::_scaled_mm")):  # the rows of the first factor alone
        at = 1 if event["name"].endswith("addmm") else 0
        shapes[at] = scaled_shape(shapes[at], shapes[at][0]) if shapes[at] else shapes[at]
        return
    arguments["Input Dims"] = [scaled_shape(shape, first[0]) for shape in shapes]


def scale(trace):
    for event in trace["traceEvents"]:
        for key in ("ts", "dur"):
            if key in event:
                event[key] = float(event[key]) * FACTOR
        if event.get("cat") == "kernel":
            event["name"] = bare(event["name"])
        elif event.get("cat") == "user_annotation" and not OF_PYTORCH.match(event["name"]):
            event["name"] = "other " + event["name"]
        if event.get("ph") == "X":
            scale_sizes(event, event.get("args", {}))


def main_findings(path):
    run = subprocess.run([os.environ["SONDE"], "why", "--json", path], capture_output=True, text=True, check=False)
    if run.returncode not in (0, NOTHING_FOUND):
        raise RuntimeError(run.stderr)
    findings = json.loads(run.stdout)["findings"]
    return [(f["id"], f["ceiling_percent"]) for f in findings
            if not f["folded"] and f["ceiling_percent"] >= LEAST_PERCENT][:MAIN]


def main():
    wrong = []
    for path in sorted(data_folder().glob("*.pt.trace.json.gz")):
        with gzip.open(path) as file:
            trace = json.load(file)
        scale(trace)
        with tempfile.TemporaryDirectory() as folder:
            copy = Path(folder) / "copy.json"
            copy.write_text(json.dumps(trace))
            as_it_is, scaled = main_findings(path), main_findings(copy)
        print(path.name, as_it_is, scaled)
        if [name for name, _ in as_it_is] != [name for name, _ in scaled]:
            wrong.append(f"{path.name}: {as_it_is} became {scaled}")
    print("\n".join(wrong))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
