#!/usr/bin/env python3
"""Fills the marked parts of docs/profiles/findings.md: make_finding_docs.py PRINT_FINDINGS. A test compares the two.

PRINT_FINDINGS is a test tool (build/release/tests/tools/print_findings): it prints the rows of the rules and the checks.
"""

import re
import subprocess
import sys
from pathlib import Path

PAGE = Path(__file__).resolve().parents[1] / "docs/profiles/findings.md"
PART = re.compile(r"<!-- findings: (\w+) -->\n.*?<!-- end -->\n", re.DOTALL)


def page(tool):
    def part(match):
        text = subprocess.run([tool, match[1]], check=True, capture_output=True, text=True).stdout
        return f"<!-- findings: {match[1]} -->\n{text}<!-- end -->\n"

    return PART.sub(part, PAGE.read_text())


if __name__ == "__main__":
    PAGE.write_text(page(sys.argv[1]))
