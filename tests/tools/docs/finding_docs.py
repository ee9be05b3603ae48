#!/usr/bin/env python3
"""docs/profiles/findings.md contains the rows of the rules and the checks."""

import os
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "tools"))
import make_finding_docs

made = make_finding_docs.page(Path(os.environ["TEST_TOOLS"]) / "print_findings")
if made.count("<!-- findings: ") != 3 or made.count("\n### ") < 20:
    print("docs/profiles/findings.md lacks marked parts")
    sys.exit(1)
if made != make_finding_docs.PAGE.read_text():
    print("docs/profiles/findings.md is out of date: ./dev docs findings")
    sys.exit(1)
print("docs/profiles/findings.md is up to date")
