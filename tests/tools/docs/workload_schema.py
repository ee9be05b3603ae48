#!/usr/bin/env python3
"""Checks that workloads that the program accepts match docs/schemas/workload.schema.json, that others match neither,
that the schema has the program's keys, and that the output of sonde simulate matches docs/schemas/simulate.schema.json.
PyYAML and jsonschema read them, not the program."""

import copy
import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "shared"))
from _schema import ROOT, load

try:
    import jsonschema
    import yaml
    from referencing import Registry, Resource
except ImportError as missing:
    print(f"skipped: {missing}")
    sys.exit(77)

EXAMPLES = [ROOT / "examples/workload.yaml", ROOT / "tests/tools/tasks/simulate/day.yaml"]
# What is wrong, by the path of keys to it.
WRONG = {
    "a key that there is not": lambda w: w["types"][0].update({"run_tme": "5 min"}),
    "no unit": lambda w: w.update({"duration": 24}),
    "a unit of something else": lambda w: w["types"][0].update({"memory": "5 min"}),
    "no run time": lambda w: w["types"][0].pop("run_time"),
    "a share above all": lambda w: w["types"][0].update({"utilization": 0.5}),
    "no every": lambda w: w["types"][0].update({"arrivals": {"regular": True}}),
    "no at": lambda w: w.update({"tasks": [{"type": "a", "run_time": "1 s", "memory": "1 GiB"}]}),
    "no count": lambda w: w["types"][0].update({"count": 0}),
    "a tail that has no mean": lambda w: w["types"][0].update({"memory": {"least": "1 GiB", "tail": 0.5}}),
    "a second version": lambda w: w.update({"version": 2}),
    "a speed of nothing": lambda w: w.update({"speeds": {"Simulated GPU": 0}}),
}


def validator(name):
    gpus = Resource.from_contents(load("simulated_gpus.schema.json"))
    registry = Registry().with_resource("simulated_gpus.schema.json", gpus)
    return jsonschema.Draft202012Validator(load(name), registry=registry)


def simulate(file, *options):
    return subprocess.run([os.environ["SONDE"], "simulate", "--workload", file, *options], capture_output=True, text=True,
                          check=False)  # fmt: skip


def keys_in_source(table):
    source = (ROOT / "src/dispatch/simulation/workload_reader.cc").read_text(encoding="utf-8")
    found = re.search(table + r" =\s*std::to_array<std::string_view>\(\s*\{(.*?)\}\)", source, re.DOTALL)
    return set(re.findall(r'"(\w+)"', found[1]))


def check():
    schema, of_output = validator("workload.schema.json"), validator("simulate.schema.json")
    known = load("workload.schema.json")["properties"]
    pairs = {"kFileKeys": known, "kKindKeys": known["types"]["items"]["properties"],
             "kTaskKeys": known["tasks"]["items"]["properties"],
             "kArrivalKeys": known["types"]["items"]["properties"]["arrivals"]["properties"]}  # fmt: skip
    for table, keys in pairs.items():
        if keys_in_source(table) != set(keys):
            yield f"{table}: the program knows {keys_in_source(table)}, the schema {set(keys)}"
    for file in EXAMPLES:
        yield from (f"{file.name}: {error.message}" for error in schema.iter_errors(yaml.safe_load(file.read_text())))
    run = simulate(EXAMPLES[0], "--format", "json", "--strategy", "all")
    yield from (f"output: {error.message}" for error in of_output.iter_errors(json.loads(run.stdout)))
    plain = {"gpus": [{"name": "Simulated GPU"}],
             "types": [{"type": "a", "arrivals": {"every": "1 h"}, "run_time": "5 min", "memory": "1 GiB"}]}  # fmt: skip
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "workload.yaml"
        for name, spoil in {"nothing": lambda w: None, **WRONG}.items():
            workload = copy.deepcopy(plain)
            spoil(workload)
            file.write_text(yaml.safe_dump(workload), encoding="utf-8")
            by_schema, run = schema.is_valid(workload), simulate(file)
            if by_schema != (name == "nothing") or (run.returncode == 0) != (name == "nothing"):
                yield f"{name}: the schema says {by_schema}, the program {run.returncode}: {run.stderr}"
            if name != "nothing" and not re.search(r"workload\.yaml:\d+:\d+: ", run.stderr):
                yield f"{name}: no place is named: {run.stderr}"


failures = list(check())
print("\n".join(failures) or "workloads and what is made of them keep to the schemas")
sys.exit(1 if failures else 0)
