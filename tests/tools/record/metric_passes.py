#!/usr/bin/env python3
"""Checks the number of passes that `sonde study` announces for a launch against NVIDIA's own CUPTI, which plans for
chips without having them. Skipped without CUPTI of CUDA 12.6 or later."""

import ctypes
import re
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "shared"))
from _recorded import SONDE, check
from gpu_metric_set import Deinitialize, Initialize, find_cupti, passes
from record_metrics import environment

ROOT = Path(__file__).parents[3]
RANGE_PROFILER = 0
CHIPS = [b"TU102", b"TU104", b"GA100", b"GA102", b"AD102", b"GH100", b"GB100", b"GB202"]


class Properties(ctypes.Structure):
    _fields_ = [("size", ctypes.c_size_t), ("reserved", ctypes.c_void_p), ("host", ctypes.c_void_p),
                ("metric", ctypes.c_char_p), ("texts", ctypes.c_void_p * 3), ("type", ctypes.c_uint32)]


def metrics_of(words):
    """What is asked of CUPTI, as the injected library reads it."""
    with tempfile.TemporaryDirectory() as folder:
        run = subprocess.run([SONDE, "record", "-o", f"{folder}/x", "--self-test=false", "--metrics", words, "--", "sh", "-c",
                              "cat $SONDE_RECORD_METRICS"], capture_output=True, text=True, check=True, env=environment())
    return [line.split(" ", 1)[1] for line in run.stdout.splitlines() if line.startswith("metric ")]


def known(cupti, chip, names):
    initialize = Initialize(profiler=RANGE_PROFILER, chip=chip)
    check(cupti.cuptiProfilerHostInitialize(ctypes.byref(initialize)) == 0, f"CUPTI does not know {chip}")
    found = []
    for name in names:
        asked = Properties(size=Properties.type.offset + 4, host=initialize.host, metric=name.encode())
        if cupti.cuptiProfilerHostGetMetricProperties(ctypes.byref(asked)) == 0:
            found.append(name)
    cupti.cuptiProfilerHostDeinitialize(ctypes.byref(Deinitialize(host=initialize.host)))
    return found


def together(cupti, chip, names):
    """Those that CUPTI takes in one configuration, found by halves as the injected library does."""
    taken = []

    def add(part):
        if passes(cupti, chip, taken + part, RANGE_PROFILER) is not None:
            taken.extend(part)
        elif len(part) > 1:
            add(part[:len(part) // 2])
            add(part[len(part) // 2:])

    add(names)
    return taken


def announced():
    """{metrics: (least, most)} of cli/study/text.cc."""
    usual = re.search(r'kUsualMetrics =\s*"([^"]+)"', (ROOT / "src/cli/study/choice.h").read_text()).group(1)
    rows = re.findall(r"\{(\"\w+\"|kUsualMetrics), (\d+), (\d+)\}", (ROOT / "src/cli/study/text.cc").read_text())
    return {usual if name == "kUsualMetrics" else name.strip('"'): (int(least), int(most)) for name, least, most in rows}


def main():
    cupti = find_cupti()
    rows = announced()
    check(len(rows) == 3, rows)
    for words, wanted in rows.items():
        names = metrics_of(words)
        planned = [passes(cupti, chip, together(cupti, chip, known(cupti, chip, names)), RANGE_PROFILER) for chip in CHIPS]
        check((min(planned), max(planned)) == wanted, (words, planned, wanted))
        print(f"{words}: {wanted[0]} to {wanted[1]} passes on {len(CHIPS)} chips", flush=True)


if __name__ == "__main__":
    main()
