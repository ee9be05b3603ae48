#!/usr/bin/env python3
"""tests/gpu/run without a GPU, with the stand-in for CUDA, and without Python; and the judging of what it collected, also
from its archive. The kit that ./dev gpu-kit makes holds the same scripts."""

import contextlib
import json
import os
import re
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

GPU_TESTS = Path(__file__).resolve().parents[2] / "gpu"
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "shared"))
import _cuda
from _recorded import check

sys.path.insert(0, str(GPU_TESTS))
import _evidence
import judge
import judge_counters
import judge_pytorch
import judge_timeline

PROGRAMS = Path(os.environ["TEST_TOOLS"]).parent / "gpu"
# Of what the stand-in can show, what takes least time. It executes no kernels: their counters and source lines are made
# up, so counters.hot_line, beside_counters and instructions fail on it. judges_lines() has profiles for these.
STAND_IN_PARTS = ("first.late_start", "first.managed", "timeline.work", "timeline.graphs", "timeline.sigterm",
                  "counters.same_output", "counters.metrics_values", "truth.k07_fp64")


def gpu_run(*words, environment=None, programs=PROGRAMS):
    # No driver of the host: also on one with a GPU, this is about the scripts.
    variables = {"GPU_PYTHON": sys.executable} | (environment or os.environ) | {"GPU_PROGRAMS": str(programs)}
    return subprocess.run(["sh", GPU_TESTS / "run", *map(str, words)], capture_output=True, text=True, check=False,
                          env=variables, timeout=300)


def has_driver():
    return subprocess.run([PROGRAMS / "gpu_program", "devices"], capture_output=True, check=False).returncode == 0


def outcomes(text):
    """{part: (outcome, what was said)} of the judge's table."""
    return {name: (outcome, said) for name, outcome, said in re.findall(
        r"^(\w+\.\w+): (ok|skipped|not reached|FAILED)(.*) \((?:\d+|-) s\)$", text, re.M)}


def all_parts():
    return gpu_run("--list").stdout.split()


def skips(folder):
    """Without a GPU, and with a shell alone, each part says why; the judge says the same later, with Python."""
    done = gpu_run("all", "--out", folder / "bare", environment=os.environ | {"GPU_PYTHON": "/nonexistent/python3"})
    table = done.stdout[done.stdout.index("archive: "):]
    check(done.returncode == 0 and "No python3 on this host" in table, (done.returncode, done.stdout, done.stderr))
    check(all(re.search(rf"^{part} +skipped: no NVIDIA driver", table, re.M) for part in all_parts()), table)
    judged = gpu_run("--from", folder / "bare.tar.gz")
    found = outcomes(judged.stdout)
    check(judged.returncode == 0 and sorted(found) == sorted(all_parts()), (judged.returncode, judged.stdout, judged.stderr))
    check(all(outcome == "skipped" and "no NVIDIA driver" in said for outcome, said in found.values()), judged.stdout)
    check(judged.stdout.splitlines()[-2:] == [f"gpu-test: 0 ok, {len(found)} skipped, 0 not reached, 0 failed",
                                              "gpu-test: nothing was judged: this host could run none of it"], judged.stdout)


def spends_its_time(folder):
    done = gpu_run("timeline", "--out", folder / "late", "--seconds", 0)
    check({outcome for outcome, _ in outcomes(done.stdout).values()} == {"not reached"} and done.returncode == 0, done.stdout)


def refuses_wrong_words():
    for words in (["no_such_call"], ["first", "--seconds", "soon"], ["--no-such-option"], [], ["--from"]):
        done = gpu_run(*words)
        check(done.returncode == 2 and done.stderr, (words, done.returncode, done.stderr))


def stand_in_collects(folder):
    """With the stand-in for CUDA the parts are collected, and judged the same here, from the folder and the archive."""
    done = gpu_run(*STAND_IN_PARTS, "--out", folder / "fake",
                   environment=_cuda.environment() | {"GPU_PROGRAM_PTX": "1", "GPU_DEVICE": "cpu"})
    found = outcomes(done.stdout)
    check(sorted(found) == sorted(STAND_IN_PARTS), (done.stdout, done.stderr))
    check(done.returncode == 0 and {outcome for outcome, _ in found.values()} == {"ok"}, done.stdout)
    again = gpu_run("--from", folder / "fake.tar.gz")
    check(outcomes(again.stdout) == found and again.returncode == 0, (again.stdout, again.stderr))
    has_the_form_of_truth(json.loads((folder / "fake/truth/truth.json").read_text()))
    only = gpu_run("--from", folder / "fake", "timeline.work")
    check(list(outcomes(only.stdout)) == ["timeline.work"], only.stdout)


KEYS_OF_KERNEL = {"case", "variant", "kind", "wrong", "fix", "iters_per_round", "event_ms", "wall_ms"}


def has_the_form_of_truth(document):
    """That of the truth.json that was measured on an H100, and of its own rounds."""
    check(document["machine"].keys() == {"python", "cores", "gpu", "torch", "transformers"}, document["machine"])
    bad, fixed = document["rows"]
    check(bad.keys() == KEYS_OF_KERNEL | {"sonde_profile"}, bad)
    check(fixed.keys() == bad.keys() | {"saves_ms", "saves_percent"}, fixed)
    check([bad["variant"], fixed["variant"], bad["kind"], fixed["wrong"]] == ["bad", "fixed", "kernel", ""], (bad, fixed))
    for times in (bad["event_ms"], fixed["wall_ms"]):
        check(len(times["rounds"]) == 5 and times["min"] <= times["median"] <= times["max"], times)
    saved = bad["wall_ms"]["median"] - fixed["wall_ms"]["median"]
    check(abs(saved - fixed["saves_ms"]) < 1e-4, (saved, fixed))


def is_alive(pid):
    """Neither gone nor killed: whoever adopts a killed process may not have waited for it yet."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] not in "ZX"
    except FileNotFoundError:
        return False


def ends_what_hangs(folder):
    """A program that ignores SIGTERM takes no more than the time of the call, and is gone afterwards."""
    programs = folder / "hanging"
    programs.mkdir()
    for name, answer in (("gpu_program", "devices"), ("kernel_cases", "--list")):
        path = programs / name
        path.write_text(f"#!/bin/sh\n[ \"$1\" = {answer} ] && exit\ntrap '' TERM\necho $$ >>{programs}/pids\n"
                        "echo begun\nwhile :; do sleep 1; done\n")
        path.chmod(0o755)
    began = time.monotonic()
    # The first call also looks at the host.
    done = gpu_run("timeline.work", "counters.metrics_values", "pytorch.launch_cost", "--out", folder / "hung", "--seconds", 6,
                   programs=programs, environment=os.environ | {"GPU_GRACE": "1"})
    took = time.monotonic() - began
    found = {outcome for outcome, _ in outcomes(done.stdout).values()}
    check(found == {"not reached"} and done.returncode == 0, (done.stdout, done.stderr))
    for output in ("counters.metrics_values/values.out", "pytorch.launch_cost/alone_1.out"):
        check("begun" in (folder / "hung" / output).read_text(), f"{output}: what it printed is kept")
    check(took < 3 * 6 + 10, f"three calls of 6 s, and the table, took {took:.0f} s: {done.stdout}")
    pids = [int(line) for line in (programs / "pids").read_text().split()]
    check(len(pids) >= 2 and not any(map(is_alive, pids)), (pids, done.stdout))


def probe_answers(folder):
    """The probe asks the stand-in's CUPTI to its end."""
    variables = _cuda.environment()
    answers = folder / "answers"
    variables |= {"CUDA_INJECTION64_PATH": str(PROGRAMS / "libgpu_probe.so"), "GPU_PROBE_OUT": str(answers)}
    done = subprocess.run([PROGRAMS / "gpu_program", "timed", "400", "10"], env=variables, capture_output=True, text=True,
                          check=False, timeout=60)
    text = answers.read_text()
    check(done.returncode == 0, done.stderr)
    for words in ("within cuInit", "version: 130000", "a second after the first context", "cuptiProfilerHostInitialize: 0",
                  "sample 0: from", "done"):
        check(words in text, (words, text))


def finds_faults(folder):
    """A part whose results are wrong has failed, and so has one whose program failed."""
    def changed(name, change):
        copy = folder / name
        shutil.copytree(folder / "fake/timeline.work", copy / "timeline.work")
        change(copy / "timeline.work")
        done = gpu_run("--from", copy)
        return done.returncode, outcomes(done.stdout)["timeline.work"]

    def other_count(place):
        account = json.loads((place / "work.out").read_text())
        account["kernels"] = {name: count + 1 for name, count in account["kernels"].items()}
        (place / "work.out").write_text(json.dumps(account))

    for name, change in (("count", other_count),
                         ("code", lambda place: (place / "work.status").write_text("1 2 60 60\n")),
                         ("profile", lambda place: (place / "work.sqlite").unlink()),
                         ("timeout", lambda place: (place / "work.status").write_text("124 60 60 60\n"))):
        code, (outcome, _) = changed(name, change)
        check(code == 1 and outcome == "FAILED", (name, code, outcome))
    code, (outcome, _) = changed("cut", lambda place: (place / "work.status").write_text("124 9 9 60\n"))
    check(code == 0 and outcome == "not reached", (code, outcome))
    code, (outcome, _) = changed("lacks", lambda place: [
        (place / "work.status").write_text("3 1 60 60\n"), (place / "work.err").write_text("libcuda has no cuInit\nsonde: x\n")])
    check(code == 0 and outcome == "skipped", (code, outcome))


def judges_truth(folder):
    """A case is measured in five rounds; a variant that a host lacks is named."""
    def row(variant, times, **more):
        wall = {"median": sorted(times)[len(times) // 2], "min": min(times), "max": max(times), "rounds": times}
        return {"case": "mix", "variant": variant, "kind": "timeline", "wrong": "", "fix": "", "wall_ms": wall} | more

    lacking = {"case": "mix", "variant": "fixed", "kind": "timeline", "wrong": "", "fix": "", "lacks": "no torch.compile"}
    fixed = row("fix_copy", [4.0, 4, 4, 4, 4], saves_ms=1.0, saves_percent=20.0)
    for name, rows, wanted in (("five", [row("bad", [5.0] * 5), fixed, lacking], "ok"),
                               ("four", [row("bad", [5.0] * 4), fixed], "FAILED")):
        place = folder / f"truth_{name}"
        for made in ("truth", "truth.mix"):
            (place / made).mkdir(parents=True)
        (place / "truth/truth.json").write_text(json.dumps({"machine": {}, "rows": rows}))
        (place / "truth.mix/mix.status").write_text("0 1 9 9\n")
        outcome, said = outcomes(gpu_run("--from", place).stdout)["truth.mix"]
        check(outcome == wanted, (name, outcome, said))
        check(name != "five" or "saves 20.0 %; fixed lacks no torch.compile" in said, said)


def write_counted(path, totals, places):
    """A profile of one launch of a function whose second instruction, at byte 16, is the hot line. `totals`: {metric: value},
    `places`: {metric: (its values at the two instructions)}."""
    names = list(totals)
    with contextlib.closing(sqlite3.connect(path)) as db, db:
        db.executescript("""CREATE TABLE StringIds (id, value); CREATE TABLE SONDE_DEVICE_LINE (functionId, offset, fileId, line);
            CREATE TABLE SONDE_DEVICE_FUNCTION (id, address); CREATE TABLE SONDE_KERNEL_PROFILE (id, functionId);
            CREATE TABLE SONDE_KERNEL_METRIC (id, profileId, nameId, value);
            CREATE TABLE SONDE_KERNEL_METRIC_INSTANCE (metricId, instance, value);
            INSERT INTO SONDE_DEVICE_FUNCTION VALUES (0, 4096); INSERT INTO SONDE_KERNEL_PROFILE VALUES (0, 0);""")
        db.executemany("INSERT INTO SONDE_DEVICE_LINE VALUES (0, ?, 0, ?)", [(0, 61), (16, judge_counters.HOT_LINE)])
        db.executemany("INSERT INTO StringIds VALUES (?, ?)", enumerate(names))
        db.executemany("INSERT INTO SONDE_KERNEL_METRIC VALUES (?, 0, ?, ?)", [(i, i, totals[n]) for i, n in enumerate(names)])
        db.executemany("INSERT INTO SONDE_KERNEL_METRIC_INSTANCE VALUES (?, ?, ?)",
                       [(names.index(n), 4096 + 16 * i, value) for n, values in places.items() for i, value in enumerate(values)])


def judges_lines(folder):
    """Shares of lines, and instructions by place beside the hardware's counter."""
    samples, busy = "smsp__pcsamp_sample_count", {"sm__throughput.avg.pct_of_peak_sustained_elapsed": 90.0}
    warps = judge_counters.WARPS
    counted = {"inst_executed": 20 * warps, "thread_inst_executed": 640 * warps}
    by_place = {"inst_executed": (warps, 19 * warps)}
    for part, name, totals, places, wanted in (
            ("hot_line", "lines", {samples: 3000}, {samples: (300, 2700)}, "ok"),
            ("hot_line", "lines", {samples: 3000}, {samples: (2700, 300)}, "FAILED"),
            ("hot_line", "lines", {samples: 300}, {samples: (30, 270)}, "FAILED"),
            ("beside_counters", "both", {samples: 3000} | busy, {samples: (300, 2700)}, "ok"),
            ("beside_counters", "both", {samples: 3000}, {samples: (300, 2700)}, "FAILED"),
            ("instructions", "counts", counted | {"smsp__inst_executed.sum": 20 * warps}, by_place, "ok"),
            ("instructions", "counts", counted | {"smsp__inst_executed.sum": 21 * warps}, by_place, "FAILED")):
        place = folder / "lines" / f"counters.{part}"
        shutil.rmtree(place, ignore_errors=True)
        place.mkdir(parents=True)
        write_counted(place / f"{name}.sqlite", totals, places)
        for step in (name, "page"):
            (place / f"{step}.status").write_text("0 1 9 9\n")
        (place / "page.out").write_text(f"kernels.ptx:{judge_counters.HOT_LINE}\n")
        found = judge.judged(_evidence.Part(place), getattr(judge_counters, part))
        check(found[0] == wanted, (part, totals, places, found))


def counts_kernels_of_a_trace(folder):
    """PyTorch draws ranges on the GPU's timeline, too: they are no kernels."""
    path = folder / "trace.json"
    path.write_text(json.dumps({"traceEvents": [{"cat": "kernel", "dur": 2.5}, {"cat": "Kernel", "dur": 1}, {"ph": "M"},
                                                {"cat": "gpu_user_annotation", "dur": 9}, {"cat": "gpu_memcpy", "dur": 9}]}))
    check(judge_pytorch.kernels_of_trace(path) == (2, 3.5), judge_pytorch.kernels_of_trace(path))


def judges_know_their_parts():
    """No judge is without a part: its name would be wrong."""
    parts = set(all_parts())
    for call in judge.CALLS[:-1]:
        module = __import__(f"judge_{call}")
        public = [name for name in vars(module) if f"{call}.{name}" in parts]
        check(len(public) >= 9, (call, public))
    kernels = json.loads(subprocess.run([PROGRAMS / "kernel_cases", "--list"], capture_output=True, check=True).stdout)
    check({f"truth.{name}" for name in kernels} == {p for p in parts if re.match(r"truth\.k\d", p)}, (kernels, parts))
    planted = subprocess.run([sys.executable, "-c", "import torch"], capture_output=True, check=False)
    if planted.returncode == 0:
        listed = subprocess.run([sys.executable, GPU_TESTS / "torch_programs/planted.py", "--list"], capture_output=True,
                                text=True, check=True)
        planted_cases = {f"truth.{name}" for name in json.loads(listed.stdout)}
        check(planted_cases == {p for p in parts if re.match(r"truth\.(?!k\d)", p)}, parts)


def hot_line_is_the_hot_line():
    """The line that the assembler is given is the line on which the work is."""
    lines = judge_counters.SOURCE.read_text().splitlines()
    check(lines[judge_counters.HOT_LINE - 2].split()[:3] == [".loc", "1", str(judge_counters.HOT_LINE)], lines)


class FewKernels:
    """A profile of three kernels, of which the second and third lie outside of their ranges by 50 and 20 ns."""

    @staticmethod
    def rows(_):
        return [(100, 200), (300, 400), (500, 600)]

    @staticmethod
    def ranges():
        return [("timed", 90, 210, 0), ("timed", 300, 350, 0), ("timed", 520, 700, 0), ("other", 0, 1, 0)]


def tolerances():
    check(judge_timeline.distances_outside(FewKernels, "timed") == [0, 50, 20], "distances")
    for found, wanted, fails in ((1.0, 1.03, True), (1.0, 1.01, False)):
        try:
            _evidence.close(found, wanted, 0.02, "a time")
            check(not fails, "a difference was not seen")
        except _evidence.Failed:
            check(fails, "a small difference was seen")


if has_driver():
    print("skipped: this host has a GPU: ./dev gpu-test")
    sys.exit(77)
with tempfile.TemporaryDirectory() as name, ThreadPoolExecutor(3) as threads:
    place = Path(name)
    # Each waits for most of its time.
    for part in [threads.submit(part, place) for part in (ends_what_hangs, stand_in_collects, probe_answers, skips)]:
        part.result()
    for part in (spends_its_time, finds_faults, judges_truth, judges_lines, counts_kernels_of_a_trace):
        part(place)
for part in (refuses_wrong_words, judges_know_their_parts, hot_line_is_the_hot_line, tolerances):
    part()
