"""RT-DETR from start to report in one command."""

import sys

from _host import ROOT, SONDE, check, run, sonde_has


def rtdetr(host):
    host.torch()
    sonde_has("study")
    folder = host.file("study")
    folder.mkdir()
    done = run([SONDE, "study", "--", sys.executable, ROOT / "examples/rtdetr.py", "--steps", 5], cwd=folder)
    pages = list(folder.rglob("*.html"))
    check(len(pages) == 1, f"{len(pages)} reports: {done.stdout[-2000:]}")
    text = pages[0].read_text()
    for part in ("backbone", "encoder", "decoder"):
        check(part in text, f"the report says nothing of {part}")
    return f"a report of {len(text) >> 10} KB"


PARTS = (rtdetr,)
