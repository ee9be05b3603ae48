#!/usr/bin/env python3
"""Checks that docs/serve/metrics.md lists every metric of the program's rows. --update writes the list."""

import os
import re
import subprocess
import sys
from pathlib import Path

PAGE = Path(__file__).resolve().parents[3] / "docs/serve/metrics.md"
DUMP = Path(os.environ["TEST_TOOLS"]) / "dump_exposition"
LIST = re.compile(r"(<!-- metrics -->\n).*(<!-- end of metrics -->)", re.DOTALL)


def output(what):
    return subprocess.run([DUMP, what], check=True, capture_output=True).stdout.decode("utf-8")


def unlisted(rows):
    """A host of which everything is known has a sample of every row, with the labels that the row names."""
    text = output("exact")
    for name, kind, labels in re.findall(r"^\| `(\w+)` \| (\w+) \| ([^|]+) \|", rows, flags=re.MULTILINE):
        suffix = "_count" if kind == "histogram" else ""
        sample = re.search(rf"^{name}{suffix}(\{{.*\}})? ", text, flags=re.MULTILINE)
        if sample is None:
            yield f"{name} is never told"
            continue
        told = ", ".join(re.findall(r'[{,](\w+)="', re.sub(r'\\.', "", sample[1] or ""))) or "-"
        if told != labels:
            yield f"{name} has the labels {told}, its row says {labels}"


def main():
    rows = output("rows")
    page = PAGE.read_text(encoding="utf-8")
    wanted = LIST.sub(lambda found: f"{found[1]}\n{rows}{found[2]}", page)
    if "--update" in sys.argv:
        PAGE.write_text(wanted, encoding="utf-8")
    elif wanted != page:
        print("docs/serve/metrics.md is not what the program's rows are: metrics_docs.py --update")
        return 1
    failures = list(unlisted(rows))
    print("\n".join(failures) or "docs/serve/metrics.md lists every metric")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
