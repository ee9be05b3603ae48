#!/usr/bin/env python3
"""Checks deploy/prometheus: promtool accepts the rules, their unit tests pass, every alert is tested firing and not
firing and has an action, and `sonde serve` exports every metric that a rule or the dashboard names."""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
FOLDER = ROOT / "deploy/prometheus"
DASHBOARD = ROOT / "deploy/grafana/sonde.json"
DUMP = Path(os.environ["TEST_TOOLS"]) / "dump_exposition"
try:
    import yaml
except ModuleNotFoundError:
    print("python3-yaml is missing, which reads the rules")
    sys.exit(77)


def promtool(*arguments):
    run = subprocess.run(["promtool", *map(str, arguments)], cwd=FOLDER, capture_output=True, text=True, check=False)
    return run.returncode, (run.stdout + run.stderr).strip()


def tool_failures():
    for arguments in (
        ("check", "rules", "--lint=all", "--lint-fatal", "sonde_rules.yaml"),
        ("test", "rules", "sonde_rules_test.yaml"),
        ("check", "config", "--lint=all", "--lint-fatal", "prometheus.yml"),
    ):
        status, text = promtool(*arguments)
        if status or "error" in text.lower():
            yield f"promtool {' '.join(arguments)} ended with {status}: {text[-2000:]}"
    if shutil.which("amtool"):
        run = subprocess.run(["amtool", "check-config", FOLDER / "alertmanager.yml"], capture_output=True, text=True, check=False)
        if run.returncode:
            yield f"amtool check-config: {run.stdout}{run.stderr}"


def rules():
    groups = yaml.safe_load((FOLDER / "sonde_rules.yaml").read_text(encoding="utf-8"))["groups"]
    return [rule for group in groups for rule in group["rules"]]


def alert_failures():
    tests = yaml.safe_load((FOLDER / "sonde_rules_test.yaml").read_text(encoding="utf-8"))["tests"]
    cases = [case for test in tests for case in test.get("alert_rule_test", [])]
    for rule in rules():
        name = rule.get("alert")
        if name is None:
            continue
        own = [bool(case["exp_alerts"]) for case in cases if case["alertname"] == name]
        if own.count(True) < 1 or own.count(False) < 1:
            yield f"{name} is not tested both firing and not firing"
        if set(rule.get("annotations", {})) != {"summary", "action"}:
            yield f"{name} has to have summary and action"
        if rule.get("labels", {}).get("severity") not in ("critical", "warning", "info"):
            yield f"{name} has to have a severity"


def record_failures():
    text = (FOLDER / "sonde_rules_test.yaml").read_text(encoding="utf-8")
    for rule in rules():
        if "record" in rule and f"{rule['record']}{{" not in text:
            yield f"{rule['record']} is not tested"


def exported():
    """Names that an exposition with everything has."""
    text = subprocess.run([DUMP, "exact"], check=True, capture_output=True).stdout.decode("utf-8")
    kinds = re.findall(r"^# TYPE (\S+) (\w+)", text, flags=re.MULTILINE)
    parts = {name + part for name, kind in kinds if kind == "histogram" for part in ("_bucket", "_sum", "_count")}
    return {name for name, _ in kinds} | parts


def named(expression):
    return set(re.findall(r"\b(?:sonde|DCGM|process)_\w+(?![\w:(])", re.sub(r"\b[\w:]+:[\w:]+|\"[^\"]*\"", "", expression)))


def panels(dashboard):
    for panel in dashboard["panels"]:
        yield panel
        yield from panel.get("panels", [])


def dashboard_expressions():
    dashboard = json.loads(DASHBOARD.read_text(encoding="utf-8"))
    for panel in panels(dashboard):
        for target in panel.get("targets", []):
            yield panel["title"], target["expr"]
    for variable in dashboard["templating"]["list"]:
        query = variable.get("query")
        if variable["type"] == "query":
            text = query["query"] if isinstance(query, dict) else query
            yield f"variable {variable['name']}", re.fullmatch(r"label_values\((.+), *\w+\)", text)[1]


def filled_in(expression):
    """Grafana's variables replaced by what it puts in their place."""
    for variable, value in (("$__rate_interval", "5m"), ("$__range", "1h"), ("$__interval", "1m")):
        expression = expression.replace(variable, value)
    return re.sub(r"\$\{?\w+(:\w+)?\}?", "x", expression)


def name_failures():
    known = exported()
    records = {rule["record"] for rule in rules() if "record" in rule}
    places = [(rule.get("alert") or rule["record"], rule["expr"]) for rule in rules()]
    places += [(f"dashboard: {title}", expression) for title, expression in dashboard_expressions()]
    for place, expression in places:
        for name in named(expression) - known:
            yield f"{place} names {name}, which is not exported"
        for name in set(re.findall(r"\b[a-z_]+:sonde[\w:]+", expression)) - records:
            yield f"{place} names {name}, which no rule records"


def dashboard_failures():
    """Prometheus reads every expression; Grafana finds what it needs, and each panel has a place of its own."""
    dashboard = json.loads(DASHBOARD.read_text(encoding="utf-8"))
    expressions = [{"record": f"x:{i}", "expr": filled_in(e)} for i, (_, e) in enumerate(dashboard_expressions())]
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "expressions.yaml"
        file.write_text(yaml.safe_dump({"groups": [{"name": "dashboard", "rules": expressions}]}), encoding="utf-8")
        status, text = promtool("check", "rules", file)
        if status:
            yield f"expressions of the dashboard: {text}"
    for key in ("title", "uid", "schemaVersion", "templating", "panels", "time", "refresh"):
        if key not in dashboard:
            yield f"dashboard: no {key}"
    ids = [panel["id"] for panel in panels(dashboard)]
    if len(ids) != len(set(ids)):
        yield "dashboard: two panels with one id"
    cells = {}
    for panel in dashboard["panels"]:
        place = panel["gridPos"]
        if place["x"] + place["w"] > 24:
            yield f"dashboard: {panel['title']} is wider than the page"
        for x in range(place["x"], place["x"] + place["w"]):
            for y in range(place["y"], place["y"] + place["h"]):
                if (x, y) in cells:
                    yield f"dashboard: {panel['title']} lies on {cells[x, y]}"
                    return
                cells[x, y] = panel["title"]


def main():
    failures = [*alert_failures(), *record_failures(), *name_failures()]
    missing = shutil.which("promtool") is None
    if not missing:
        failures += [*tool_failures(), *dashboard_failures()]
    print("\n".join(failures) or "rules, their tests and the dashboard are as they should be")
    if missing and not failures:
        print("promtool is missing (package prometheus), so it was not asked")
        return 77
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
