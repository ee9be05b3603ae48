#!/usr/bin/env python3
"""Checks that `sonde gpus --json` matches docs/schemas/gpus.schema.json, for real and simulated GPUs, and that
docs/schemas/simulated_gpus.schema.json and docs/serve/simulated_gpus.md list the program's keys and no others."""

import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "shared"))
from _schema import ROOT, load, violations

STAND_IN = Path(os.environ["SONDE"]).parent / "tests/fake_nvml/libnvidia-ml.so.1"
SCRIPT = "gpus = 2\ngpu.0.mig = 1\ngpu.0.processes = 7 1048576 train\ngpu.0.fail.nvmlDeviceGetSerial = 4\ngpu.1.fail.* = 15\n"


def gpus(*options, **environment):
    printed = subprocess.run(
        [os.environ["SONDE"], "gpus", "--json", *options],
        capture_output=True, text=True, env=os.environ | environment, check=False,
    )  # fmt: skip
    return json.loads(printed.stdout)


def documents():
    with tempfile.TemporaryDirectory() as folder:
        script = Path(folder) / "nvml.txt"
        script.write_text(SCRIPT)
        yield "stand-in", gpus(SONDE_NVML=str(STAND_IN), SONDE_FAKE_NVML=str(script))
    yield "simulated", gpus("--simulated", str(ROOT / "examples/simulated_host.yaml"), "--at", "125s")


def schema_failures():
    schema = load("gpus.schema.json")
    for name, document in documents():
        yield from (f"{name}: {line}" for line in violations(document, schema))
        if document["simulated"] != (name == "simulated"):
            yield f"{name}: simulated is {document['simulated']}"
        gpu = document["gpus"][0]
        for broken in ({**gpu, "temperature_celsius": "41"}, {k: v for k, v in gpu.items() if k != "uuid"}):
            if not list(violations({**document, "gpus": [broken]}, schema)):
                yield f"{name}: a broken document passes"


def keys_in_source(table):
    source = (ROOT / "src/device/simulated/description.cc").read_text(encoding="utf-8")
    return set(re.findall(r'"(\w+)"', re.search(table + r" =[^;]*;", source).group(0)))


def key_failures():
    host = load("simulated_gpus.schema.json")["properties"]
    gpu = host["gpus"]["items"]["properties"]
    documented = set(re.findall(r"`(\w+)`", (ROOT / "docs/serve/simulated_gpus.md").read_text(encoding="utf-8")))
    for table, known in (
        ("kHostKeys", host), ("kGpuKeys", gpu), ("kLoadKeys", gpu["load"]["items"]["properties"]),
        ("kFaultKeys", gpu["faults"]["items"]["properties"]),
    ):  # fmt: skip
        if keys_in_source(table) != set(known):
            yield f"{table}: the program knows {keys_in_source(table)}, the schema {set(known)}"
        if table != "kHostKeys" and set(known) - documented:
            yield f"docs/serve/simulated_gpus.md does not say what {set(known) - documented} are"


def main():
    failures = [*schema_failures(), *key_failures()]
    print("\n".join(failures) or "all keys and values of sonde gpus keep to the schemas")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
