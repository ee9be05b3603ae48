#!/usr/bin/env python3
"""Compares Sonde's import of each real PyTorch trace with an independent reading of its JSON.

DUMP_TRACE is the path of that tool, SONDE_TEST_DATA/kineto the folder of traces. Exits 77 (skipped) without them.
"""
import json
import os
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "reference"))
import pytorch_facts  # noqa: E402

SKIPPED = 77


def differences(ours, theirs, path=""):
    """Paths at which two documents differ, with both values."""
    if isinstance(ours, dict) and isinstance(theirs, dict):
        for key in sorted(ours.keys() | theirs.keys()):
            yield from differences(ours.get(key), theirs.get(key), f"{path}/{key}")
    elif ours != theirs:
        yield f"{path}: imported {ours}, in the file {theirs}"


def check(dump_trace, trace):
    run = subprocess.run([dump_trace, trace], capture_output=True, check=False)
    if run.returncode != 0:
        return [f"exit status {run.returncode}: {run.stderr.decode(errors='replace')}"]
    expected = json.loads(json.dumps(pytorch_facts.facts(trace)))
    imported = json.loads(run.stdout)
    # Sonde leaves UTC open where a trace's clock is not UTC.
    if "origin_utc_ns" not in imported and expected["origin_utc_ns"] < 10**18:
        del expected["origin_utc_ns"]
    return list(differences(imported, expected))


def main():
    data = os.environ.get("SONDE_TEST_DATA")
    if not data:
        print("skipped: SONDE_TEST_DATA does not name a folder of real profiles")
        return SKIPPED
    traces = sorted(p for p in Path(data, "kineto").iterdir() if p.is_file())
    failures = 0
    for trace in traces:
        found = check(os.environ["DUMP_TRACE"], trace)
        failures += bool(found)
        print(f"{'FAIL' if found else 'ok  '} {trace.name}")
        for line in found[:20]:
            print(f"     {line}")
    print(f"{len(traces) - failures} of {len(traces)} traces agree")
    return 1 if failures or not traces else 0


if __name__ == "__main__":
    sys.exit(main())
