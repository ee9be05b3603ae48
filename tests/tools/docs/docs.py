#!/usr/bin/env python3
"""Checks that docs/profiles/reports.md matches the program."""

import os
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "tools"))
import make_docs

if make_docs.PAGE.read_text(encoding="utf-8") != make_docs.page(os.environ["SONDE"]):
    print("docs/profiles/reports.md is out of date: ./dev docs reports")
    sys.exit(1)
print("docs/profiles/reports.md is up to date")
