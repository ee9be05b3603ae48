#!/usr/bin/env python3
"""docs/schemas/budget.schema.json knows the metrics and keys that the program knows, and no others."""

import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "shared"))
from _schema import ROOT, load

GATE = ROOT / "src/gate"
METRIC = re.compile(r'^SONDE_GATE_METRIC\((\w+), (\w+), (\w+), (\w+), ([\w |]+), "(.*)"\)$', re.MULTILINE)


def keys_in_source(table):
    source = (GATE / "budget.cc").read_text(encoding="utf-8")
    return set(re.findall(r'"(\w+)"', re.search(table + r" = [^;]*;", source).group(0)))


def units_in_source():
    source = (GATE / "amount.cc").read_text(encoding="utf-8")
    names = set(re.findall(r'\{"([^"]*)", Unit::', source)) - {""}
    return {name.encode().decode("unicode_escape") for name in names}


def units_in_schema(pattern):
    return set(re.search(r"\((ns\|[^)]*)\)", pattern).group(1).split("|"))


def main():
    budget = load("budget.schema.json")
    rule = budget["properties"]["rules"]["items"]
    of_rule = rule["properties"]
    metrics = METRIC.findall((GATE / "metrics.inc").read_text(encoding="utf-8"))
    names = [metric[0] for metric in metrics]
    failures = []
    for what, here, there in [
        ("metrics", names, of_rule["metric"]["enum"]),
        ("metrics of a check", names, re.match(r"\^\(([^)]*)\)", rule["pattern"]).group(1).split("|")),
        ("keys of a budget", keys_in_source("kBudgetKeys"), set(budget["properties"])),
        ("keys of a rule", keys_in_source("kRuleKeys"), set(of_rule)),
        ("severities", keys_in_source("kSeverities"), set(of_rule["severity"]["enum"])),
        ("units", units_in_source(), units_in_schema(of_rule["floor"]["pattern"])),
        ("units of a check", units_in_source(), units_in_schema(of_rule["check"]["pattern"])),
    ]:
        if here != there:
            failures.append(f"{what}: the program knows {here}, the schema {there}")
    failures += [f"{m[0]} is not described" for m in metrics if m[5] not in of_rule["metric"]["description"]]
    if len(names) != (GATE / "metrics.inc").read_text(encoding="utf-8").count("\nSONDE_GATE_METRIC("):
        failures.append("a line of metrics.inc is not understood")
    print("\n".join(failures) or f"the schema knows the program's {len(names)} metrics and all keys")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
