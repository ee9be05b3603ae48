#!/usr/bin/env python3
"""Checks the metrics of a host with all values: equal to tests/tools/serve/exposition/*.txt, accepted by promtool, and
with the types and names of dcgm-exporter if requested. --update writes the files."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent / "exposition"
DUMP = Path(os.environ["TEST_TOOLS"]) / "dump_exposition"

# What promtool objects to in names that are NVIDIA's; everything else is a mistake of ours.
OBJECTIONS = re.compile(
    r"DCGM_FI_\w+ (label names should be written in 'snake_case' not 'camelCase'"
    r"|counter metrics should have \"_total\" suffix|metric name should not include type 'counter')"
)


def exposition(form):
    """Bytes: names of processes can be any, and what is written has to be UTF-8 all the same."""
    return subprocess.run([DUMP, form], check=True, capture_output=True).stdout.decode("utf-8")


def without_own_process(text):
    """Values of this process differ from run to run."""
    return re.sub(r"^(process_\w+) .*$", r"\1 -", text, flags=re.MULTILINE)


def promtool(text):
    run = subprocess.run(["promtool", "check", "metrics"], input=text, capture_output=True, text=True, check=False)
    return run.returncode, (run.stdout + run.stderr).strip().splitlines()


def golden_failures(update):
    for form in ("full", "basic", "exact"):
        text = without_own_process(exposition(form))
        file = HERE / f"{form}.txt"
        if update:
            file.parent.mkdir(exist_ok=True)
            file.write_text(text, encoding="utf-8")
        elif file.read_text(encoding="utf-8") != text:
            yield f"{form}: not as {file.name} has it; exposition.py --update writes it, git diff shows the difference"


def promtool_failures():
    for form in ("full", "basic"):
        status, lines = promtool(exposition(form))
        if status or lines:
            yield f"{form}: promtool check metrics ended with {status}: {lines[:3]}"
    status, lines = promtool(exposition("exact"))
    if status != 3:
        yield f"exact: promtool ended with {status}, so it no longer objects to NVIDIA's names: make them the only form"
    yield from (f"exact: {line}" for line in lines if not OBJECTIONS.fullmatch(line))


def escaping_failures():
    """A program's name with quotes, a line end and a byte that is no UTF-8 stays one label of one line."""
    wanted = 'user="quote\\" back\\\\slash\\nline \ufffd byte"'
    lines = [line for line in exposition("full").splitlines() if "sonde_gpu_processes{" in line and "quote" in line]
    if not lines or any(wanted not in line for line in lines):
        yield f"a user's name is not escaped: {lines[:1]}"


def main():
    update = "--update" in sys.argv
    failures = [*golden_failures(update), *escaping_failures()]
    missing = shutil.which("promtool") is None
    if not missing:
        failures += promtool_failures()
    print("\n".join(failures) or "the exposition is as it should be")
    if missing and not failures:
        print("promtool is missing (package prometheus), so it was not asked")
        return 77
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
