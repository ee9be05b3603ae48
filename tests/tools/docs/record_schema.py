#!/usr/bin/env python3
"""Checks that docs/schemas/record.schema.json lists the keys that the program reads and writes, and no others, and that
the records of runs match it."""

import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "shared"))
from _schema import ROOT, load, violations

RECORD = ROOT / "src/gate/record"
ROWS = {"GpuOfRun": "gpu", "WorkGroup": "work", "IdleGroup": "idle", "CallGroup": "call", "KernelShape": "shape",
        "KernelMeasure": "measure", "RangeTimes": "range"}


def keys_in_source():
    """Keys by type, and those that must be there."""
    source = (RECORD / "record_fields.h").read_text(encoding="utf-8")
    found = {}
    for kind, body in re.findall(r"visit_fields\(RowOf<(\w+)>.*?\{(.*?)\n\}", source, re.DOTALL):
        fields = re.findall(r'v\.(required|optional|steps)\("(\w+)"', body)
        found[kind] = ({key for _, key in fields}, {key for need, key in fields if need == "required"})
    lists = set(re.findall(r'  f\("(\w+)", record', source))
    return found, lists


def key_failures(schema):
    found, lists = keys_in_source()
    pairs = [("a record", found["RunRecord"][0] | lists | {"sonde_record"}, set(schema["properties"])),
             ("what a record needs", found["RunRecord"][1] | {"sonde_record"}, set(schema["required"]))]
    for kind, name in ROWS.items():
        rows = schema["$defs"][name]
        pairs += [(kind, found[kind][0], set(rows["properties"])), (f"what {kind} needs", found[kind][1], set(rows["required"]))]
    conditions = re.findall(r"^SONDE_CONDITION\((\w+),", (ROOT / "src/gate/conditions.inc").read_text(), re.MULTILINE)
    pairs.append(("conditions", set(conditions), set(schema["properties"]["conditions"]["properties"])))
    return [f"{what}: the program has {sorted(here)}, the schema {sorted(there)}" for what, here, there in pairs if here != there]


def closed(schema):
    """The schema for what this version writes: with no other keys."""
    if isinstance(schema, dict):
        return {key: closed(value) for key, value in schema.items() if (key, value) != ("additionalProperties", True)}
    return [closed(item) for item in schema] if isinstance(schema, list) else schema


def record_of(*arguments):
    with tempfile.TemporaryDirectory() as folder:
        run = Path(folder) / "run.sqlite"
        subprocess.run([os.environ["SONDE"], "synth", *arguments, "-o", run], check=True, capture_output=True)
        tool = Path(os.environ["TEST_TOOLS"]) / "dump_record"
        return subprocess.run([tool, run], check=True, capture_output=True, text=True).stdout


def main():
    schema = load("record.schema.json")
    failures = key_failures(schema)
    strict = closed(schema)
    for arguments in (["--program", "training", "--gpus", "2"], ["--graphs"], ["--iterations", "2"]):
        record = json.loads(record_of(*arguments))
        failures += [f"synth {' '.join(arguments)}: {v}" for v in violations(record, strict)]
        if not record.get("work"):
            failures.append(f"synth {' '.join(arguments)}: no work")
    print("\n".join(failures) or "the schema has all keys, and the records keep to it")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
