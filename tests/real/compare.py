#!/usr/bin/env python3
"""Checks `sonde compare` on real profiles: every level adds up to the nanosecond, and without steps, lengths and busy
times equal those of `sonde summary --json`."""

import json
import os
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tools/shared"))
import _planted_pairs

SONDE = os.environ["SONDE"]
DATA = os.environ.get("SONDE_TEST_DATA")
FORMATS = {"nsys_sqlite": "*.sqlite", "nsys_rep": "*.nsys-rep", "kineto": "*.json*", "ncu_rep": "*.ncu-rep*"}
LARGEST = 200 << 20  # bytes: a pair is read twice


def printed(*arguments):
    return subprocess.run([SONDE, *map(str, arguments)], capture_output=True, text=True, timeout=300)


def summary(path, known={}):
    if path not in known:
        result = printed("summary", "--json", path)
        known[path] = json.loads(result.stdout) if result.returncode == 0 else None
    return known[path]


def readable(folder, pattern):
    for path in sorted((Path(DATA) / folder).rglob(pattern)):
        if path.is_file() and path.stat().st_size < LARGEST:
            yield path


def busy_and_length(path):
    """Over all GPUs, by `sonde summary`, which does not share time out."""
    document = summary(path)
    return sum(gpu["busy_ns"] for gpu in document["gpus"]), document["total_ns"]


def timeline_mistakes(base, new, difference):
    yield from _planted_pairs.sum_mistakes(difference)
    if difference["per"] != "run":
        return
    rows = {row["name"]: row for row in difference["top"]}
    for side, path in (("base_ns", base), ("new_ns", new)):
        busy, length = busy_and_length(path)
        if difference["part"] == "gpu_work":
            length -= sum(difference[side.replace("_ns", f"_{when}_gpu_ns")] for when in ("before", "after"))
        told = (rows.get("busy", {}).get(side) or 0, difference[side])
        if told[1] != length:
            yield f"{side}: a length of {told[1]}, sonde summary says {length}"
        if abs(told[0] - busy) > 1:
            yield f"{side}: busy for {told[0]}, sonde summary says {busy}"


def kernel_mistakes(chains):
    for chain in chains:
        time = [link for link in chain["links"] if link["figure"] == "time_ns"]
        if time and abs(time[0]["new"] - time[0]["base"] - (chain["new_ns"] - chain["base_ns"])) > 1e-3:
            yield f"{chain['kernel']}: the last link is not the change"
        if chain["links"] and not chain["says"]:
            yield f"{chain['kernel']}: no sentence"


def mistakes(base, new):
    result = printed("compare", "--base", base, "--new", new, "-f", "json")
    if result.returncode != 0:
        return [f"exit {result.returncode}: {result.stderr.strip()}"]
    document = json.loads(result.stdout)
    if document["difference"] is None:
        return list(kernel_mistakes(document["kernel_reports"]))
    return list(timeline_mistakes(base, new, document["difference"]))


def main():
    if not DATA:
        print("SONDE_TEST_DATA is not set")
        return 77
    pairs = failures = 0
    for folder, pattern in FORMATS.items():
        files = [path for path in readable(folder, pattern) if printed("info", path).returncode == 0]
        # Each with the next, the last with the first: every file stands on both sides.
        for base, new in zip(files, files[1:] + files[:1]):
            pairs += 1
            for line in mistakes(base, new):
                failures += 1
                print(f"{base.name} against {new.name}: {line}")
    print(f"{pairs} pairs, {failures} mistakes")
    return 1 if failures or not pairs else 0


if __name__ == "__main__":
    sys.exit(main())
