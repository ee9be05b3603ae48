#!/usr/bin/env python3
"""Checks that `sonde compare -f json` matches docs/schemas/compare.schema.json, and that violations of the schema are
found."""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "shared"))
import _planted_pairs
from _schema import load, violations

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "reference"))
import ncu_report  # noqa: E402



def compared(base, new):
    command = [os.environ["SONDE"], "compare", "--base", base, "--new", new, "-f", "json"]
    return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def kernel_report(folder, name):
    source = Path(__file__).resolve().parents[2] / "golden/inputs/kernels.ncu.json"
    path = Path(folder) / name
    path.write_bytes(ncu_report.report(json.loads(source.read_text()), source.parent))
    return path


def main():
    schema = load("compare.schema.json")
    failures = []
    with tempfile.TemporaryDirectory() as folder:
        base = _planted_pairs.synth(folder, "base", "training_2_gpus", 1)
        new = _planted_pairs.synth(folder, "new", "training_2_gpus", 1, "tiny_kernels")
        report = kernel_report(folder, "kernels.ncu-rep")
        for document in (compared(base, new), compared(base, base), compared(report, report)):
            failures += violations(document, schema)
            for broken in ({**document, "base": None}, {k: v for k, v in document.items() if k != "conditions"}):
                if not list(violations(broken, schema)):
                    failures.append("a broken document passes")
    print("\n".join(failures) or "all comparisons keep to the schema")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
