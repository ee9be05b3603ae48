#!/usr/bin/env python3
"""Checks that the tables of docs/serve/strategies.md are what the program computes for the same days."""

import os
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "tools"))
import make_strategy_docs

if make_strategy_docs.PAGE.read_text(encoding="utf-8") != make_strategy_docs.page(os.environ["SONDE"]):
    print("docs/serve/strategies.md has other figures: ./dev docs strategies")
    sys.exit(1)
print("docs/serve/strategies.md has the figures of today")
