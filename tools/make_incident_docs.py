#!/usr/bin/env python3
"""Puts the tables of docs/serve/incidents.md into its text: make_incident_docs.py PRINT_INCIDENTS. A test compares the two.

PRINT_INCIDENTS is a test tool (build/release/tests/tools/print_incidents): its tables come from the detectors' rows and the
catalogues of texts and XIDs.
"""

import re
import subprocess
import sys
from pathlib import Path

PAGE = Path(__file__).resolve().parents[1] / "docs/serve/incidents.md"
TABLE = re.compile(r"<!-- table: (\w+) -->\n.*?<!-- end -->\n", re.DOTALL)


def page(tool):
    def table(match):
        rows = subprocess.run([tool, match[1]], check=True, capture_output=True, text=True).stdout
        return f"<!-- table: {match[1]} -->\n{rows}<!-- end -->\n"

    return TABLE.sub(table, PAGE.read_text())


if __name__ == "__main__":
    PAGE.write_text(page(sys.argv[1]))
