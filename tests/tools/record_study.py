#!/usr/bin/env python3
"""`sonde study`: two runs of a program through the stand-in for CUDA, and one report with timeline and counters joined;
where no counters can be had, the report of the timeline and the reason."""

import re
import subprocess
import tempfile
from pathlib import Path

from _recorded import PATIENCE_S, SONDE, Recorded, check
from record_metrics import PROGRAM, environment


def study(folder, *options, program=("plain", "6"), **settings):
    command = [SONDE, "study", "-f", "-o", folder / "study", *options, "--", *program_of(program)]
    return subprocess.run(list(map(str, command)), capture_output=True, text=True, timeout=PATIENCE_S, check=False,
                          env=environment(**settings))


def program_of(program):
    return [PROGRAM, *program] if program[0] != "sh" else program


def counters(folder):
    return Recorded(folder / "study.kernels.sqlite").rows(
        "SELECT value, count(*) FROM SONDE_KERNEL_PROFILE JOIN StringIds s ON s.id = functionNameId GROUP BY value")


def both_joined(folder):
    run = study(folder)
    check(run.returncode == 0, run.stderr)
    check(run.stdout.count('"kernels"') == 2, f"the program's own output, of both runs: {run.stdout}")
    check("2 of 2 kernels are chosen" in run.stderr and "100.0 % of the time" in run.stderr, run.stderr)
    shares = dict((name, float(share)) for share, name in
                  re.findall(r"([\d.]+) % of the time, +\d+ launches, headroom +\S+ *%?: (\w+)", run.stderr))
    check(shares == {"gemm": 88.2, "vector_add": 11.8}, shares)  # 150 and 20 of 170
    # Two launches of each, all in the place "step # > forward".
    check(sorted(counters(folder)) == [("gemm", 2), ("vector_add", 2)], counters(folder))
    text = (folder / "study.txt").read_text()
    check("measured" in text, text)
    check("gemm" in (folder / "study.html").read_text(), "the page")
    joined = subprocess.run([SONDE, "modules", "--min-percent", "0", folder / "study.sqlite", folder / "study.kernels.sqlite"],
                            capture_output=True, text=True, check=True)
    check("12 of 12 launches are measured" in joined.stderr, joined.stderr)


def bounded(folder):
    run = study(folder, "--kernels", "1", "--launches-each", "1", "--metrics", "basic")
    check(run.returncode == 0 and counters(folder) == [("gemm", 1)], (counters(folder), run.stderr))


def without_counters(folder):
    run = study(folder, SONDE_FAKE_PROFILER="RangeProfilerEnable=35")
    check(run.returncode == 0 and "NVreg_RestrictProfilingToAdminUsers=0" in run.stderr, run.stderr)
    check("no counters could be had" in run.stderr and (folder / "study.html").exists(), run.stderr)
    run = study(folder, program=("sh", "-c", "echo hello"))
    check(run.returncode == 0 and run.stdout == "hello\n", (run.stdout, run.stderr))
    check("no kernel was recorded on a GPU" in run.stderr and (folder / "study.html").exists(), run.stderr)


def exit_codes(folder):
    run = study(folder, program=("status", "9"))
    check(run.returncode == 9, run.stderr)
    run = study(folder, program=("sh", "-c", f"{PROGRAM} plain 2; exit 5"))
    check(run.returncode == 5 and "the first run ended with 5" in run.stderr and run.stdout.count("\n") == 1, run.stderr)
    mark = folder / "mark"
    run = study(folder, program=("sh", "-c", f"{PROGRAM} plain 2; test ! -e {mark} && touch {mark}"))
    check(run.returncode == 1 and "the second run ended with 1" in run.stderr, run.stderr)
    run = study(folder, program=("sh", "-c", "exit 0"))
    check(run.returncode == 0, run.stderr)
    again = subprocess.run([SONDE, "study", "-o", folder / "study", "true"], capture_output=True, text=True, check=False)
    check(again.returncode == 2 and "is there already" in again.stderr, again.stderr)


def main():
    with tempfile.TemporaryDirectory() as name:
        for part in (both_joined, bounded, without_counters, exit_codes):
            part(Path(name))
            print(f"{part.__name__}: ok", flush=True)


if __name__ == "__main__":
    main()
