#!/usr/bin/env python3
"""`./dev gpu-test`: tests that need a real GPU. Runs the parts that this host has the means for, and prints what the
others lack. Exits with 1 if a part failed, otherwise with 0, also if all were skipped.

    tests/gpu/run.py [NAME...]     all parts, or those whose names contain one of these words
"""

import subprocess
import sys
import time
from collections import Counter

import cost
import counters
import gpu_metrics
import pytorch
import source_lines
import study
import timeline
from _host import Failed, Host, Missing


def attempt(part, host):
    """(outcome, what to say)"""
    try:
        return "ok", part(host) or ""
    except Missing as missing:
        return "skipped", str(missing)
    except Failed as failed:
        return "FAILED", str(failed)
    except subprocess.TimeoutExpired as late:
        return "FAILED", f"not done after {late.timeout} s: {' '.join(map(str, late.cmd))}"


def chosen(words):
    for group in (timeline, pytorch, cost, counters, source_lines, gpu_metrics, study):
        for part in group.PARTS:
            name = f"{group.__name__}.{part.__name__}"
            if not words or any(word in name for word in words):
                yield name, part


def main():
    host = Host()
    outcomes = Counter()
    try:
        for name, part in chosen(sys.argv[1:]):
            began = time.monotonic()
            outcome, said = attempt(part, host)
            outcomes[outcome] += 1
            print(f"{name}: {outcome}{': ' if said else ''}{said} ({time.monotonic() - began:.1f} s)", flush=True)
    finally:
        host.clean()
    print(f"gpu-test: {outcomes['ok']} ok, {outcomes['skipped']} skipped, {outcomes['FAILED']} failed")
    if outcomes["ok"] + outcomes["FAILED"] == 0:
        print("gpu-test: skipped: this host has nothing to run it on")
    return 1 if outcomes["FAILED"] else 0


if __name__ == "__main__":
    sys.exit(main())
