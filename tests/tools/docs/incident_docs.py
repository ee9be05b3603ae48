#!/usr/bin/env python3
"""Checks that docs/serve/incidents.md matches the detectors' rows and the catalogues."""

import os
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "tools"))
import make_incident_docs

made = make_incident_docs.page(Path(os.environ["TEST_TOOLS"]) / "print_incidents")
if made.count("<!-- table: ") != 3 or made.count("\n| ") < 150:
    print("docs/serve/incidents.md lacks tables")
    sys.exit(1)
if made != make_incident_docs.PAGE.read_text():
    print("docs/serve/incidents.md is out of date: ./dev docs incidents")
    sys.exit(1)
print("docs/serve/incidents.md is up to date")
