#!/usr/bin/env python3
"""Checks `sonde gate` on real profiles: a comparison with an equal profile never fails, and metrics without noise are
equal.

usage: SONDE_TEST_DATA=FOLDER [SONDE=PROGRAM] gate.py [PART OF A FILE'S NAME...]

The mean kernel time of the gate is compared with `sonde summary --json`, from both sides.
"""

import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "reference"))

import compare

ROOT = pathlib.Path(__file__).resolve().parents[2]
FOLDERS = {"nsys_sqlite", "nsys_rep", "kineto", "ncu_rep"}
ENDINGS = (".sqlite", ".nsys-rep", ".json", ".json.gz", ".ncu-rep")
MOST_BYTES = 100_000_000
EXITS = {"pass": 0, "fail": 1, "inconclusive": 3, "not_comparable": 4}
METRIC = re.compile(r"^SONDE_GATE_METRIC\((\w+), \w+, (\w+),", re.MULTILINE)
METRICS = dict(METRIC.findall((ROOT / "src/gate/metrics.inc").read_text(encoding="utf-8")))


def profiles(data, wanted):
    for path in sorted(data.rglob("*")):
        if path.parent.name in FOLDERS and path.name.endswith(ENDINGS) and path.stat().st_size < MOST_BYTES:
            if not wanted or any(part in path.name for part in wanted):
                yield path


def budget(folder):
    """Every metric against the baseline."""
    rules = [
        f"  - metric: {name}\n"
        + ("    max_change: 3 %\n" if kind == "timed" else "")
        + ("    range: .\n" if name.startswith("range_latency") else "")
        for name, kind in METRICS.items()
    ]
    path = folder / "every_metric.yaml"
    path.write_text("version: 1\nrules:\n" + "".join(rules), encoding="utf-8")
    return path


def like(path, folder):
    """A record that differs from the profile by a nanosecond of wall time: the very same run is no baseline."""
    made = subprocess.run([pathlib.Path(os.environ["TEST_TOOLS"]) / "dump_record", path], capture_output=True, text=True,
                          check=True).stdout  # fmt: skip
    record = folder / "like.json"
    record.write_text(re.sub(r'"wall_ns": ?(\d+)', lambda m: f'"wall_ns":{int(m[1]) + 1}', made, count=1), encoding="utf-8")
    return record


def against_its_like(path, rules, folder):
    base = like(path, folder)
    result = compare.run_sonde("gate", "--budget", rules, "-f", "json", "--base", base, "--new", path)
    if result.returncode not in (0, 3, 4):
        return [f"exit {result.returncode}: {result.stderr.strip()}"]
    document = json.loads(result.stdout)
    problems = []
    outcome = document["verdict"]["outcome"]
    if EXITS[outcome] != result.returncode:
        problems.append(f"exit {result.returncode} with the verdict {outcome}")
    for check in document["checks"]:
        metric = check["rule"]["metric"]
        allowed = {"pass", "not_comparable"} | ({"inconclusive"} if METRICS[metric] == "timed" else set())
        if check["outcome"] not in allowed:
            problems.append(f"{metric} of {check['subject']}: {check['outcome']}")
        if check["reason"] == "same_run_on_both_sides":
            problems.append(f"{metric} was not compared at all")
    if {check["rule"]["metric"] for check in document["checks"]} != set(METRICS):
        problems.append("a metric has no verdict")
    return problems


def mean_kernel_time(path, folder):
    """A bound a little below, and a little above, what the summary prints."""
    summary = json.loads(compare.run_sonde("summary", "--json", path).stdout)
    mean = summary["avg_kernel_time"]
    problems = []
    for factor, wanted in ((1 - 1e-9, 1), (1 + 1e-9, 0)):
        rules = folder / "mean.yaml"
        bound = (mean or 1) * 1e6 * factor
        rules.write_text(f"rules: ['avg_kernel_time <= {bound:.9f} ns']\n", encoding="utf-8")
        code = compare.run_sonde("gate", "--budget", rules, path).returncode
        if code != (4 if mean is None else wanted):
            problems.append(f"avg_kernel_time {mean} ms with a bound of {bound} ns: exit {code}")
    return problems


def main():
    data = os.environ.get("SONDE_TEST_DATA")
    if not data:
        print("SONDE_TEST_DATA is not set: no real profiles to test with")
        return 77
    failures = 0
    checked = 0
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        rules = budget(folder)
        for path in profiles(pathlib.Path(data), sys.argv[1:]):
            problems = against_its_like(path, rules, folder)
            problems += mean_kernel_time(path, folder)
            checked += 1
            failures += bool(problems)
            print(f"{path.name}: {'; '.join(problems) or 'ok'}", flush=True)
    print(f"{checked} profiles, {failures} with problems")
    return 1 if failures or not checked else 0


if __name__ == "__main__":
    sys.exit(main())
