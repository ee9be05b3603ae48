"""RT-DETR from start to report in one command."""

import sys

from _host import ROOT, SONDE, check, run, sonde_has


def rtdetr(host):
    """The report names the parts of the model."""
    host.torch()
    sonde_has("study")
    sonde_has("record", "--torch-modules")
    run([SONDE, "study", "-f", "--torch-modules=true", "-o", host.file("rtdetr"), "--", sys.executable,
         ROOT / "examples/rtdetr.py", "--steps", 5])
    page = host.file("rtdetr.html").read_text()
    for part in ("backbone", "encoder", "decoder"):
        check(part in page, f"the report says nothing of {part}")
    return f"a report of {len(page) >> 10} KB"


PARTS = (rtdetr,)
