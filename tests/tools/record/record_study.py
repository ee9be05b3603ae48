#!/usr/bin/env python3
"""`sonde study`: two runs of a program through the stand-in for CUDA, and one report with timeline and counters joined;
where no counters can be had, the report of the timeline and the reason."""

import csv
import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "shared"))
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


def one_line(text):
    return " ".join(text.split())


def lines_of_modules(text, title):
    """{module: [cells]} of the table below a title; a module as it is printed."""
    rows = text.split(title)[1].splitlines()[2:]
    found = {}
    for row in rows:
        match = re.match(r"^[ *] +((?:\S+(?: %| [mnu]?s| [kMG]?B(?:/s)?)? +){6})(\S.*)$", row)
        if match is None:
            break
        found[match.group(2).strip()] = (row[0], re.findall(r"\S+(?: %| [mnu]?s\b| [kMG]?B(?:/s)?)?", match.group(1)))
    return found


def modules(folder):
    """The stand-in's model: what its modules take is known by construction, and what is measured of which."""
    run = study(folder, program=("model", "5"))
    check(run.returncode == 0, run.stderr)
    too_long = [line for line in run.stderr.splitlines()
                if len(line) > 80 and not re.match("sonde: (recorded|writing|CUPTI|measured|wrote the report|profile written)", line)]
    check(not too_long, too_long)
    taken = lines_of_modules(run.stderr, "GPU time of modules")
    # Times of five steps: two layers of 300 us; 400 us and 10 us; 5 us and 20 us; copies of 1 MiB (66.5 us) and 64 KiB
    # (5.1 us): 1106.6 us a step.
    check(taken["step #"] == (" ", ["100.0 %", "5.17 ms", "358 us", "5.57 MB", "30", taken["step #"][1][5]]), taken)
    check(taken[".layer#"][0] == "*" and taken[".layer#"][1][:2] == ["54.2 %", "3.00 ms"], taken)
    check(taken[".backbone"][0] == " " and taken[".backbone"][1][:5] == ["54.2 %", "3.00 ms", "-", "-", "10"], taken)
    check(taken[".encoder"][0] == "*" and taken[".encoder"][1][:5] == ["37.0 %", "2.05 ms", "-", "-", "10"], taken)
    check(taken[".decoder"][1][:5] == ["2.7 %", "125 us", "25.5 us", "328 kB", "10"], taken)
    # vector_add is dear in the encoder, where it is measured, and 4 % of the decoder, where scale is.
    rows = Recorded(folder / "study.kernels.sqlite").rows(
        "SELECT f.value, n.value, count(*) FROM SONDE_KERNEL_PROFILE p JOIN StringIds f ON f.id = functionNameId JOIN "
        "SONDE_KERNEL_RANGE r ON r.profileId = p.id JOIN StringIds n ON n.id = r.nameId WHERE r.rowid = (SELECT "
        "max(rowid) FROM SONDE_KERNEL_RANGE WHERE profileId = p.id) GROUP BY 1, 2")
    listed = (folder / "study.kernels.tsv").read_text().splitlines()[1:]
    check(sorted(rows) == [("gemm", "model.backbone.layer0", 1), ("gemm", "model.backbone.layer1", 1),
                           ("scale", "model.decoder", 2), ("vector_add", "model.decoder", 2),
                           ("vector_add", "model.encoder", 2)], rows)
    check("vector_add\tstep 0\tmodel\tmodel.encoder" in listed, listed)
    moved = lines_of_modules(run.stderr, "memory traffic of the kernels of modules")
    # The stand-in counts a metric's length times the threads: 5 steps of a grid of 1056 with 256 threads.
    threads = 5 * 1056 * 256
    for cell, metric in ((2, "dram__bytes_read.sum"), (3, "dram__bytes_write.sum")):
        check(moved[".encoder"][1][cell] == f"{len(metric) * threads / 1e6:.1f} MB", (metric, moved))
    rate = sum(map(len, ("dram__bytes_read.sum", "dram__bytes_write.sum"))) * threads / 5 / 410e-6 / 1e9
    check(moved[".encoder"][1][1] == "97.6 %", moved)
    rate = rate * 410 / 400  # of the time of what is measured
    check(moved[".encoder"][1][4] == f"{rate:.1f} GB/s", (rate, moved))
    check("DRAM: linear fit of own time over own bytes of 3 modules" in one_line(run.stderr), run.stderr)
    table = subprocess.run([SONDE, "modules", "--format", "csv", "-q", folder / "study.sqlite", folder / "study.kernels.sqlite"],
                           capture_output=True, text=True, check=True).stdout
    (encoder,) = [row for row in csv.DictReader(table.splitlines()) if row["Module"] == "model.encoder"]
    check(int(encoder["DRAM Read (bytes)"]) == len("dram__bytes_read.sum") * threads, encoder)


def chosen(folder):
    run = study(folder, "--modules", "1", "--metrics", "basic", program=("model", "3"))
    check(counters(folder) == [("gemm", 2)] and "each runs 7 to 10 times" in one_line(run.stderr), run.stderr)
    run = study(folder, "--metrics", "dram_read_bytes", program=("model", "3"))
    check("each runs once per pass that CUPTI needs" in one_line(run.stderr) and "in 1 pass each" in run.stderr, run.stderr)
    # Without ranges all lies outside of modules, and kernels are measured wherever they are launched.
    run = study(folder, "-t", "cuda", program=("model", "3"))
    # vector_add has a grid in each of two places: two launches of either.
    check(sorted(counters(folder)) == [("gemm", 2), ("vector_add", 4)], counters(folder))
    check("(outside any module)" in run.stderr and "warning" not in run.stderr, run.stderr)


def graphs(folder):
    """Of 170 us of kernels and 1.5 us of a set in a graph, four times, nothing can be measured."""
    run = study(folder, program=("graph", "4"))
    check(run.returncode == 0 and "100.0 % of the GPUs' time is in CUDA graphs" in one_line(run.stderr), run.stderr)
    check("no kernel can be measured" in run.stderr and (folder / "study.html").exists(), run.stderr)
    check(not (folder / "study.kernels.sqlite").exists() and run.stdout.count('"kernels"') == 1, run.stdout)
    run = study(folder, "--cuda-graph-trace", "node", program=("graph", "4"))
    check("100.0 % of the GPUs' time is in CUDA graphs" in one_line(run.stderr), run.stderr)
    run = study(folder, program=("collective", "4"))
    check("50.0 % of the GPUs' time is in kernels of NCCL" in one_line(run.stderr), run.stderr)


def checked_first(folder):
    """What the second run would refuse is refused before the first."""
    for options, said in ((["--metrics", "detaild"], "did you mean 'detailed'"), (["--metrics", "sm__x,regex:("], "regular"),
                          (["--section", "Nothing"], "sonde kernel --list-sections lists them"),
                          (["--set", "full"], "--metrics full does the same"), (["-t", "cudda"], "cudda"), (["-s", "all"], "all"),
                          (["--capture-range", "x"], "x"), (["--sampling-frequency", "1"], "1"),
                          (["--modules", "0"], "'0' is not a whole number above 0"),
                          (["--kernels", "0"], "'0' is not a whole number above 0")):
        run = study(folder, *options)
        check(run.returncode == 2 and said in run.stderr and run.stdout == "", (options, run))
        check("first run" not in run.stderr, run.stderr)
    for options in (["-w", "false"], ["--show-output=false"]):
        run = study(folder, *options, program=("plain", "2"))
        check(run.returncode == 0 and run.stdout == "", (options, run))
    for options in (["-w"], ["-w", "true"]):
        run = study(folder, *options, "-x", "true", "--cuda-memory-usage", "true", program=("plain", "2"))
        check(run.returncode == 0 and run.stdout.count("kernels") == 2, (options, run))


def both_joined(folder):
    run = study(folder)
    check(run.returncode == 0, run.stderr)
    check(run.stdout.count('"kernels"') == 2, f"the program's own output, of both runs: {run.stdout}")
    account = json.loads(run.stdout.splitlines()[0])
    kernels = {name: ns for name, (_, ns) in account["kernels"].items()}
    whole = sum(kernels.values()) + sum(ns for _, _, ns in account["copies"].values()) + account["sets"][2]
    share = f"{100 * sum(kernels.values()) / whole:.1f} %"
    check(f"1 of 1 module with kernels of their own, and 2 kernels there, which take {share}" in one_line(run.stderr), run.stderr)
    shares = {name: float(share) for share, name in re.findall(r"^ +([\d.]+) % .* % +(\w+)$", run.stderr, re.M)}
    for name in ("gemm", "vector_add"):
        (ns,) = [ns for mangled, ns in kernels.items() if name in mangled]
        check(shares[name] == round(100 * ns / whole, 1), (name, shares))
    # Two launches of each, all in the place "step # > forward".
    check(sorted(counters(folder)) == [("gemm", 2), ("vector_add", 2)], counters(folder))
    text = (folder / "study.txt").read_text()
    check("measured" in text, text)
    check("Measured: compute at " in one_line(text) and "sonde kernel study.kernels.sqlite" in one_line(text), text)
    check("Measure this kernel first" not in text and "sonde study" not in text, "no advice to do what was done")
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
    check("no counters were recorded" in run.stderr and (folder / "study.html").exists(), run.stderr)
    run = study(folder, program=("sh", "-c", "echo hello"))
    check(run.returncode == 0 and run.stdout == "hello\n", (run.stdout, run.stderr))
    check("no kernel was recorded on a GPU; the report covers the timeline only" in run.stderr and (folder / "study.html").exists(), run.stderr)
    for traces in (["-t", "nvtx"], ["--trace=nvtx,osrt"]):
        run = study(folder, *traces)
        check(run.returncode == 0 and "no kernel was recorded on a GPU (-t does not contain cuda)" in run.stderr, run.stderr)


def exit_codes(folder):
    run = study(folder, program=("status", "9"))
    check(run.returncode == 9, run.stderr)
    run = study(folder, program=("sh", "-c", f"{PROGRAM} plain 2; exit 5"))
    check(run.returncode == 5 and "the first run exited with 5" in run.stderr and run.stdout.count("\n") == 1, run.stderr)
    mark = folder / "mark"
    run = study(folder, program=("sh", "-c", f"{PROGRAM} plain 2; test ! -e {mark} && touch {mark}"))
    check(run.returncode == 1 and "the second run exited with 1" in run.stderr, run.stderr)
    run = study(folder, program=("sh", "-c", "exit 0"))
    check(run.returncode == 0, run.stderr)
    again = subprocess.run([SONDE, "study", "-o", folder / "study", "true"], capture_output=True, text=True, check=False)
    check(again.returncode == 2 and "already exists" in again.stderr, again.stderr)


def main():
    with tempfile.TemporaryDirectory() as name:
        for part in (both_joined, modules, chosen, graphs, checked_first, bounded, without_counters, exit_codes):
            part(Path(name))
            print(f"{part.__name__}: ok", flush=True)


if __name__ == "__main__":
    main()
