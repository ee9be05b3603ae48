"""Runs `sonde study` on RT-DETR, from start to report in one command."""

import csv
import sys

from _host import ROOT, SONDE, check, run, sonde_has


def rtdetr(host):
    """The parts of the model are named with what they take, and most of their kernels' time has counters."""
    host.torch()
    sonde_has("study")
    sonde_has("record", "--torch-modules")
    done = run([SONDE, "study", "-f", "--torch-modules", "-o", host.file("rtdetr"), "--", sys.executable,
                ROOT / "examples/rtdetr.py", "--steps", 5])
    for title in ("GPU time of modules", "memory traffic of the kernels of modules"):
        check(title in done.stderr, f"nothing is said of {title}: {done.stderr[-800:]}")
    table = run([SONDE, "modules", "-q", "--min-percent", 0, "--format", "csv", host.file("rtdetr.sqlite"),
                 host.file("rtdetr.kernels.sqlite")]).stdout
    rows = list(csv.DictReader(table.splitlines()))
    for part in ("backbone", "encoder", "decoder"):
        of_part = [row for row in rows if row["Module"].endswith(part)]
        check(of_part, f"no module is the {part}")
        check(any(float(row["Measured (%)"] or 0) > 50 for row in of_part), f"half of the {part} has no counters: {of_part}")
    return f"a report of {host.file('rtdetr.html').stat().st_size >> 10} KB"


PARTS = (rtdetr,)
