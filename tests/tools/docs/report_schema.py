#!/usr/bin/env python3
"""Checks that `sonde report --format json` matches docs/schemas/report.schema.json, that its parts add up, and that the
page has the same content."""

import base64
import json
import os
import pty
import re
import subprocess
import sys
import tempfile
import zlib
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "shared"))
from _schema import load, violations

SONDE = os.environ["SONDE"]


def sonde(*arguments):
    return subprocess.run([SONDE, *map(str, arguments)], check=True, capture_output=True, text=True).stdout


def synth(folder, name, *options):
    path = Path(folder) / name
    sonde("synth", "--iterations", "8", "--layers", "1", *options, "-o", path)
    return path


def busy_ns(profile):
    return sum(gpu["busy_ns"] for gpu in profile["summary"]["gpus"])


def sum_violations(document):
    """Modules, and what lies outside, are the GPUs' busy time; differences are their lists' sums."""
    for profile in document["profiles"]:
        modules = profile["sections"]["modules"]
        parts = sum(modules["device_self_ns"]) + modules["outside"]["device_ns"]
        if not parts == modules["whole"]["device_ns"] == busy_ns(profile):
            yield f"modules: {parts} of {busy_ns(profile)} ns"
        copies = sum(sum(c["time_ns"] for c in gpu["copies"]) for gpu in profile["summary"]["gpus"])
        if sum(profile["sections"]["copies"]["total_ns"]) != copies:
            yield f"copies: not {copies} ns"
        kernels = profile["summary"]["kernel_time"] or {"total_ns": 0}
        rows = profile["sections"].get("kernels", {"total_ns": []})
        if sum(rows["total_ns"]) != kernels["total_ns"]:
            yield f"kernels: not {kernels} ns"
    differences = document["differences"]
    for side in ("base_ns", "new_ns") if differences else ():
        sums = {k: sum(row[side] or 0 for row in differences[k]) for k in ("modules", "kernels", "idle")}
        gpus = len(document["profiles"][0]["summary"]["gpus"])
        if sums["modules"] != sums["kernels"]:
            yield f"differences: {side}: {sums}"
        if abs(sums["kernels"] + sums["idle"] - gpus * differences[side]) > gpus:
            yield f"differences: {side}: {sums} of {gpus} x {differences[side]} ns"


def page_of(arguments, folder):
    """The page's document, its blobs read where the JSON has its parts; without what only a page has: the timeline, and
    modules with exact names, which are a choice of the JSON."""
    path = Path(folder) / "page.html"
    sonde("report", *arguments, "--force-overwrite", "-o", path)
    page = path.read_text(encoding="utf-8")
    document = json.loads(re.search(r'id="sonde-report">(.*?)</script>', page, re.S).group(1))
    blobs = dict(re.findall(r'vnd\.sonde\.blob" id="(b\d+)">([^<]*)<', page))
    read = lambda blob: json.loads(zlib.decompress(base64.b64decode(blobs[blob["id"]]), -15))  # noqa: E731
    for profile in document["profiles"]:
        del profile["timeline"]
        sections = {name: blob for name, blob in profile["sections"].items() if not name.endswith("_exact")}
        profile["sections"] = {name: read(blob) for name, blob in sections.items()}
    document["differences"] = document["differences"] and read(document["differences"])
    return document | {"schema": "sonde.report_data/1"}


def terminal_violations(profile):
    """A page is not written to a terminal."""
    ours, theirs = pty.openpty()
    result = subprocess.run([SONDE, "report", profile], stdout=theirs, stderr=subprocess.PIPE, text=True)
    os.close(theirs)
    os.close(ours)
    if result.returncode != 2 or "-o report.html" not in result.stderr:
        yield f"a terminal: exit {result.returncode}, {result.stderr}"


def broken(document):
    yield {**document, "title": 1}
    yield {key: value for key, value in document.items() if key != "profiles"}
    yield {**document, "profiles": [{**document["profiles"][0], "steps": {}}]}


def failures_of(folder):
    schema = load("report.schema.json")
    one = synth(folder, "a.sqlite", "--program", "training", "--gpus", "2")
    two = synth(folder, "b.json", "--program", "training", "--gpus", "2", "--plant", "sync")
    graphs = synth(folder, "c.sqlite", "--graphs")
    yield from terminal_violations(one)
    for arguments in ([one], [one, two], ["--base", one, "--new", two], [graphs]):
        document = json.loads(sonde("report", "--format", "json", *arguments))
        name = " ".join(Path(a).name for a in arguments)
        found = [*violations(document, schema), *sum_violations(document)]
        yield from (f"{name}: {line}" for line in found)
        if page_of(arguments, folder) != document:
            yield f"{name}: the page holds something else"
        if any(not list(violations(b, schema)) for b in broken(document)):
            yield f"{name}: a broken document passes"


def main():
    with tempfile.TemporaryDirectory() as folder:
        failures = list(failures_of(folder))
    print("\n".join(failures) or "all reports keep to the schema, and their parts add up")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
