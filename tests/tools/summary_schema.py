#!/usr/bin/env python3
"""`sonde summary --json` keeps to docs/summary.schema.json, and what the schema forbids is noticed."""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TYPES = {"object": dict, "array": list, "string": str, "integer": int, "number": (int, float), "null": type(None)}


def violations(value, schema, place="$"):
    """What of the few keywords that the schema uses does not hold."""
    if "const" in schema and value != schema["const"]:
        yield f"{place}: {value!r} is not {schema['const']!r}"
    types = schema.get("type", [])
    types = [types] if isinstance(types, str) else types
    if types and not any(isinstance(value, TYPES[t]) and not isinstance(value, bool) for t in types):
        yield f"{place}: {value!r} is not of type {types}"
    if isinstance(value, dict):
        known = schema.get("properties", {})
        yield from (f"{place}: {key} is missing" for key in schema.get("required", []) if key not in value)
        yield from (f"{place}: {key} is not in the schema" for key in value if key not in known)
        for key in value.keys() & known.keys():
            yield from violations(value[key], known[key], f"{place}.{key}")
    if isinstance(value, list):
        for index, item in enumerate(value):
            yield from violations(item, schema["items"], f"{place}[{index}]")


def summary(folder, name, *options):
    path = Path(folder) / name
    for command in (["synth", "--iterations", "8", *options, "-o", path], ["summary", "--json", path]):
        printed = subprocess.run([os.environ["SONDE"], *command], check=True, capture_output=True, text=True).stdout
    return json.loads(printed)


def main():
    schema = json.loads((ROOT / "docs/summary.schema.json").read_text())
    failures = []
    with tempfile.TemporaryDirectory() as folder:
        for name, *options in (("a.sqlite",), ("b.json", "--program", "training", "--gpus", "2"), ("c.sqlite", "--graphs")):
            document = summary(folder, name, *options)
            failures += [f"{name}: {line}" for line in violations(document, schema)]
            for broken in ({**document, "total_ns": "1"}, {k: v for k, v in document.items() if k != "gpus"}):
                if not list(violations(broken, schema)):
                    failures.append(f"{name}: a broken document passes")
    print("\n".join(failures) or "all summaries keep to the schema")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
