#!/usr/bin/env python3
"""Writes docs/profiles/reports.md from the program's own rows: make_docs.py SONDE. A test compares the two."""

import re
import subprocess
import sys
from pathlib import Path

PAGE = Path(__file__).resolve().parents[1] / "docs/profiles/reports.md"
HEADING = re.compile(r"^([a-z_]+)(\S*) -- (.+)$")


def help_of(program, *arguments):
    return subprocess.run([program, *arguments], check=True, capture_output=True, text=True).stdout


def reports(text):
    """(usage, title, description) of each report in the output of --help-reports=ALL."""
    found = []
    for line in text.splitlines():
        heading = HEADING.match(line)
        if heading:
            found.append([heading[1] + heading[2], heading[3], []])
        elif found:
            found[-1][2].append(line)
    return [(usage, title, "\n".join(lines).strip()) for usage, title, lines in found]


def page(program):
    lines = ["# Reports of `sonde stats`", "", "Made by `tools/make_docs.py` from the descriptions in the program.", ""]
    for usage, title, description in reports(help_of(program, "stats", "--help-reports=ALL")):
        lines += [f"## {usage.split('[')[0]}", "", f"{title}: `{usage}`", "", "```text", description, "```", ""]
    return "\n".join(lines)


if __name__ == "__main__":
    PAGE.write_text(page(sys.argv[1]), encoding="utf-8")
