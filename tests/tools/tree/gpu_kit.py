#!/usr/bin/env python3
"""tests/gpu/run without a GPU, with the stand-in for CUDA, and without Python; and the judging of what it collected, also
from its archive. The kit that ./dev gpu-kit makes holds the same scripts."""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
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
# What the stand-in can show. It has no unified memory faults, and its sets of counters take longer.
STAND_IN_PARTS = ("first.self_test", "first.timeline", "first.late_start", "timeline.work", "timeline.streams",
                  "timeline.graphs", "timeline.capture_range", "timeline.reset", "timeline.repeated_ranges",
                  "timeline.plain_exit", "timeline.sigterm", "timeline.late_duration", "timeline.memory_usage")


def gpu_run(*words, environment=None):
    # No driver of the host: also on one with a GPU, this is about the scripts.
    variables = dict(os.environ if environment is None else environment, GPU_PROGRAMS=str(PROGRAMS))
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
    done = gpu_run(*STAND_IN_PARTS, "--out", folder / "fake", environment=_cuda.environment() | {"GPU_PROGRAM_PTX": "1"})
    found = outcomes(done.stdout)
    check(sorted(found) == sorted(STAND_IN_PARTS), (done.stdout, done.stderr))
    check(done.returncode == 0 and {outcome for outcome, _ in found.values()} == {"ok"}, done.stdout)
    for place in ("fake", "fake.tar.gz"):
        again = gpu_run("--from", folder / place)
        check(outcomes(again.stdout) == found and again.returncode == 0, (place, again.stdout, again.stderr))
    only = gpu_run("--from", folder / "fake", "timeline.work")
    check(list(outcomes(only.stdout)) == ["timeline.work"], only.stdout)


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
    planted = subprocess.run([sys.executable, "-c", "import torch"], capture_output=True, check=False)
    if planted.returncode == 0:
        listed = subprocess.run([sys.executable, GPU_TESTS / "torch_programs/planted.py", "--list"], capture_output=True,
                                text=True, check=True)
        check({f"truth.{name}" for name in json.loads(listed.stdout)} == {p for p in parts if p.startswith("truth.")}, parts)


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
with tempfile.TemporaryDirectory() as name:
    place = Path(name)
    for part in (skips, spends_its_time, stand_in_collects, probe_answers, finds_faults, judges_truth,
                 counts_kernels_of_a_trace):
        part(place)
        print(f"{part.__name__}: ok", flush=True)
for part in (refuses_wrong_words, judges_know_their_parts, hot_line_is_the_hot_line, tolerances):
    part()
    print(f"{part.__name__}: ok", flush=True)
