#!/usr/bin/env python3
"""Tests `sonde doctor` on this host and with the stand-in for NVML: JSON by docs/schemas/doctor.schema.json, exit
codes, and a text page with the same content. The check table of docs/serve/doctor.md lists the program's checks."""

import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "shared"))
from _schema import ROOT, load, violations

SONDE = os.environ["SONDE"]
STAND_IN = Path(SONDE).parent / "tests/fake_nvml/libnvidia-ml.so.1"


def doctor(*options, **environment):
    return subprocess.run(
        [SONDE, "doctor", *options], capture_output=True, text=True, env=os.environ | environment, check=False
    )


def json_failures(name, **environment):
    ended = doctor("--json", **environment)
    document = json.loads(ended.stdout)
    yield from (f"{name}: {line}" for line in violations(document, load("doctor.schema.json")))
    outcomes = [finding["outcome"] for check in document["checks"] for finding in check["findings"]]
    wrong = "wrong" in outcomes
    if ended.returncode != int(wrong) or (document["outcome"] == "wrong") != wrong:
        yield f"{name}: exit code {ended.returncode}, outcome {document['outcome']}, findings {sorted(set(outcomes))}"
    text = doctor(**environment).stdout
    for check in document["checks"]:
        for finding in check["findings"]:
            # How much room there is changes meanwhile.
            if check["name"] != "folders" and finding["what"] not in text:
                yield f"{name}: the page lacks '{finding['what']}'"


def failures():
    yield from json_failures("this host")
    with tempfile.TemporaryDirectory() as folder:
        script = Path(folder) / "nvml.txt"
        script.write_text("gpus = 2\ngpu.1.fail.* = 15\n", encoding="utf-8")
        stand_in = {"SONDE_NVML": str(STAND_IN), "SONDE_FAKE_NVML": str(script)}
        yield from json_failures("stand-in", **stand_in)
        gpus = doctor("gpus", **stand_in)
        if gpus.returncode != 1 or not re.search(r"WRONG +gpu_1", gpus.stdout) or not re.search(r"ok +gpu_0", gpus.stdout):
            yield f"a lost GPU beside a sound one reads:\n{gpus.stdout}"
    unknown = doctor("driwer")
    if unknown.returncode != 2 or "'driver'" not in unknown.stderr:
        yield f"an unknown check ends in {unknown.returncode}: {unknown.stderr}"
    told = re.findall(r"^\| `([a-z]+)` \|", (ROOT / "docs/serve/doctor.md").read_text(encoding="utf-8"), re.MULTILINE)
    known = [check["name"] for check in json.loads(doctor("--json").stdout)["checks"]]
    if told != known:
        yield f"docs/serve/doctor.md lists {told}, the program {known}"


def main():
    found = list(failures())
    print("\n".join(found) or "sonde doctor does what docs/serve/doctor.md says")
    sys.exit(bool(found))


main()
