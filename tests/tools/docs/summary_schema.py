#!/usr/bin/env python3
"""Checks that `sonde summary --json` matches docs/schemas/summary.schema.json, and that violations of the schema are
found."""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "shared"))
from _schema import load, violations


def summary(folder, name, *options):
    path = Path(folder) / name
    for command in (["synth", "--iterations", "8", *options, "-o", path], ["summary", "--json", path]):
        printed = subprocess.run([os.environ["SONDE"], *command], check=True, capture_output=True, text=True).stdout
    return json.loads(printed)


def main():
    schema = load("summary.schema.json")
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
