#!/usr/bin/env python3
"""Checks `sonde record --torch-modules`: ranges of modules and steps of real PyTorch programs match the programs' own
count, and the programs compute the same to the last bit. Python starts in the same way with and without it."""

import json
import os
import re
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "shared"))
from _recorded import MARK, PATIENCE_S, SONDE, Recorded, check, is_nested

SKIPPED = 77
PYTHON = os.environ.get("SONDE_TORCH_PYTHON", "/usr/bin/python3")  # a Python that has torch
PROGRAM = Path(__file__).resolve().parents[1] / "programs/recorded/torch_program.py"
NET = ["model", "model.body", "model.body.0", "model.body.0.first", "model.body.0.act", "model.body.0.second",
       "model.body.1", "model.body.1.first", "model.body.1.act", "model.body.1.second", "model.shared", "model.head"]


def record(path, *words, options=("-t", "nvtx"), **settings):
    """Both with Sonde and without: (finished process, finished process, what was recorded)."""
    run = lambda command: subprocess.run(list(map(str, command)), capture_output=True, text=True, check=False,
                                         timeout=PATIENCE_S, **settings)
    alone = run(words)
    under = run([SONDE, "record", "--torch-modules=true", "-o", path, *options, "--", *words])
    return alone, under, Recorded(path)


def part(folder, name):
    """A part of the program, which must be the same to all that see it, and its ranges by name."""
    alone, under, recorded = record(folder / f"{name}.sqlite", PYTHON, PROGRAM, name)
    check(alone.returncode == 0, alone.stderr)
    check((under.returncode, under.stdout) == (0, alone.stdout), f"{name}: {under.stderr}")
    own = [line for line in under.stderr.splitlines(keepends=True) if not line.startswith("sonde: ")]
    check("".join(own) == alone.stderr, f"{name}: {own}")
    ranges = recorded.ranges()
    check(all(end is not None for _, _, end, _ in ranges) and is_nested(ranges), f"{name}: ranges cross or are open")
    return alone.stdout, under.stderr, recorded


def expected(names, calls, backward):
    counts = dict.fromkeys(names, calls)
    return counts | {f"backward {name}": backward for name in names} | {"backward": backward}


def plain(folder):
    """By name, as often as the program's own hooks saw; steps, and none over the evaluation."""
    output, _, recorded = part(folder, "plain")
    hooks = json.loads(re.search("counted (.*)", output)[1])
    hooks["shared"] = hooks.pop("body.0.first") - hooks["body.1.first"]  # one module under two names, one hook
    hooks["body.0.first"] = hooks["body.1.first"]
    counts = recorded.counts()
    check({name: counts[f"model.{name}" if name else "model"] for name in hooks} == hooks, (counts, hooks))
    wanted = expected(NET, 7, 6) | {f"step {number}": 1 for number in range(6)} | {"optimizer.step": 6}
    check({name: counts.get(name) for name in wanted} == wanted and len(counts) == len(wanted), counts)
    domains = dict(recorded.rows("SELECT e.text, d.text FROM NVTX_EVENTS e JOIN NVTX_EVENTS d ON d.eventType = 75 AND "
                                 "d.domainId = e.domainId WHERE e.eventType = 59"))
    check(domains["model.head"] == "torch.module" and domains["step 1"] == "torch.step", domains)
    spans = {name: (start, end) for name, start, end, _ in recorded.ranges()}
    evaluated = [start for name, start, *_ in recorded.ranges() if name == "model"][3]
    check(spans["step 2"][1] < evaluated < spans["step 3"][0], "a step over the evaluation")
    check(all(spans[f"step {n}"][1] <= spans[f"step {n + 1}"][0] for n in range(5)), "steps overlap")
    check(sum(spans["step 1"][0] <= start <= spans["step 1"][1] for name, start, *_ in recorded.ranges()
              if name in ("model", "backward", "optimizer.step")) == 3, "what a step holds")
    seen = table(recorded.path)
    check((seen["step #"], seen["optimizer.step"], seen["model.head"], seen["backward model.head"]) == (6, 6, 7, 6), seen)


def table(path):
    """name -> calls, as `sonde modules` has them."""
    text = subprocess.run([SONDE, "modules", "-q", "-f", "json", path], check=True, capture_output=True, text=True).stdout
    calls = Counter()
    for row in json.loads(text):
        calls[row["Module"]] += row["Calls"]
    return calls


def calls_within_calls(folder):
    *_, recorded = part(folder, "recursive")
    check(recorded.counts() == {"net": 4, "net.inner": 3, "backward": 1, "backward net": 3, "backward net.inner": 3},
          recorded.counts())
    *_, recorded = part(folder, "failing")
    check(recorded.counts() == {"net": 3, "net.inner": 5, "backward": 2, "backward net": 2, "backward net.inner": 2},
          recorded.counts())


def recomputed(folder):
    """A checkpoint runs its module again within the backward pass, under the same name."""
    *_, recorded = part(folder, "checkpointed")
    counts = recorded.counts()
    check((counts["net"], counts["net.block"], counts["net.block.act"]) == (2, 4, 4), counts)
    check((counts["backward net.head"], counts["backward net.block.act"]) == (2, 2), counts)
    passes = [(start, end) for name, start, end, _ in recorded.ranges() if name == "backward"]
    again = [start for name, start, *_ in recorded.ranges() if name == "net.block"]
    check(sum(any(start < when < end for start, end in passes) for when in again) == 2, "what ran again")


def kinds_of_outputs(folder):
    *_, recorded = part(folder, "packed")
    wanted = {"net": 20, "net.lstm": 20, "net.Softmax": 20, "backward net.lstm": 1, "custom": 2, "backward": 4}
    check({name: recorded.counts()[name] for name in wanted} == wanted, recorded.counts())


def wrappers(folder):
    *_, recorded = part(folder, "wrapped")
    counts = recorded.counts()
    wanted = ["parallel (DataParallel)", "parallel", "parallel.body.1.act", "traced", "scripted", "symbolic",
              "symbolic.body.0.act"]
    check([counts.get(name) for name in wanted] == [1] * len(wanted), counts)
    if "False" in subprocess.run([PYTHON, "-c", "import torch; print(torch.distributed.is_available())"], check=True,
                                 capture_output=True, text=True).stdout:
        print("skipped: this torch has no torch.distributed")
        return
    *_, recorded = part(folder, "distributed")
    wanted = expected([*NET, "model (DistributedDataParallel)"], 2, 2) | {"optimizer.step": 2, "step 0": 1, "step 1": 1}
    check(recorded.counts() == wanted, recorded.counts())


def threads_and_processes(folder):
    *_, recorded = part(folder, "threads")
    check(recorded.counts() == expected(NET, 204, 4), recorded.counts())
    check(len({thread for *_, thread in recorded.ranges()}) == 4, "threads")
    *_, recorded = part(folder, "processes")
    check(recorded.counts() == {"augment": 6, "net": 2, "backward": 2, "backward net": 2}, recorded.counts())
    check(len({thread >> 24 for *_, thread in recorded.ranges()}) == 4, "processes")


def several_optimizers(folder):
    """The first one's steps count."""
    *_, recorded = part(folder, "two_optimizers")
    counts = recorded.counts()
    check((counts["optimizer.step"], counts["other"], counts["backward other"]) == (8, 4, 4), counts)
    check({name for name in counts if name.startswith("step")} == {f"step {n}" for n in range(4)}, counts)


def a_failure_of_ours(folder):
    """It is told once, and the program runs."""
    _, errors, recorded = part(folder, "hidden")
    check(errors.count("no modules are recorded from here on: RuntimeError('hidden')") == 1, errors)
    check(recorded.counts() == {"net": 1} and list(recorded.counts(MARK)) ==
          ["sonde: no modules are recorded from here on: RuntimeError('hidden')"], recorded.counts(MARK))


def left_as_it_was(folder):
    """What the program can tell of being recorded: when tensors die, what locals() gave, scripts, pickles."""
    output, _, recorded = part(folder, "short_lived")
    check("[True]\n[True, True]" in output and "'own'" in output, output)
    check((recorded.counts()["net"], recorded.counts()["criterion"]) == (2, 2), recorded.counts())
    output, *_ = part(folder, "derived")
    check(output.count("True") == 3, output)


# Another finder of a program, and what it does when it is to find torch.
FINDER = """
import importlib.machinery, sys
class Other:
    def find_spec(name, path=None, target=None):
        if name == "torch":
            LOADER
            spec = importlib.machinery.PathFinder.find_spec(name, path)
            spec.loader = Loader
            return spec
sys.meta_path.insert(len(sys.meta_path) - 1, Other)
own = importlib.machinery.SourceFileLoader
try:
    import torch
    torch.nn.Linear(2, 2)(torch.ones(2))
    print("called", type(torch.__loader__).__name__, "exec_module" in vars(own))
except Exception as error:
    print(repr(error))
"""
FAILS = "raise RuntimeError('of its own')"
CLASS = """class Loader:
                create_module = lambda spec: None
                exec_module = lambda module: own(module.__name__, module.__file__).exec_module(module)
                for_all = exec_module"""
SLOTS = CLASS.replace("lambda ", "lambda self, ").replace("class Loader:", "class Loader:\n                __slots__ = ()") + \
    "\n            Loader = Loader()"


def other_finders(folder):
    """torch comes, or does not, as it would without; a loader that is for all modules stays as it is."""
    for name, loader in (("fails", FAILS), ("class", CLASS), ("slots", SLOTS)):
        script = FINDER.replace("LOADER", loader)
        alone, under, _ = record(folder / f"finder_{name}.sqlite", PYTHON, "-c", script)
        check((alone.returncode, alone.stdout) == (under.returncode, under.stdout), (name, alone, under))
        wanted = "of its own" if name == "fails" else "called"
        check(wanted in under.stdout, (name, under.stdout))
        check("no PyTorch module call was recorded" in under.stderr, (name, under.stderr))


SHOW = "import sys; print(sys.path, [type(f).__name__ for f in sys.meta_path if 'sonde' not in type(f).__module__], " \
       "sorted(m for m in sys.modules if 'sonde' not in m), getattr(sys.modules.get('sitecustomize'), 'marker', None))"
TORCH = "import torch; layer = torch.nn.Linear(2, 2); layer(torch.ones(2)).sum().backward(); print('done')"


def start_of_python(folder):
    """What a program sees of Python's start is the same; what ends before site runs is left alone, and that is said."""
    own = folder / "own"
    own.mkdir()
    (own / "sitecustomize.py").write_text("marker = 'own'\n")
    broken = folder / "broken"
    broken.mkdir()
    (broken / "sitecustomize.py").write_text("raise RuntimeError('of its own')\n")
    for number, (place, options) in enumerate([("", []), (own, []), (own, ["-S"]), (own, ["-I"]), (own, ["-E"]),
                                               (broken, [])]):
        environment = {**os.environ, "PYTHONPATH": str(place)}
        alone, under, _ = record(folder / f"start{number}.sqlite", PYTHON, *options, "-c", SHOW, env=environment)
        shown = under.stdout
        if "-S" in options:  # nothing of ours runs, and what runs nothing cannot leave the path
            shown = re.sub(r"'[^']*/torch_modules', ", "", shown)
        check(without_imports(shown) == without_imports(alone.stdout), (alone.stdout, shown))
        check(alone.stderr.replace("\n", "") in under.stderr.replace("\n", "") or not alone.stderr, under.stderr)
        none = {"-S", "-I", "-E"} & set(options)
        check(not none or "no PyTorch module call was recorded" in under.stderr, under.stderr)
    run = subprocess.run([SONDE, "record", "--torch-modules", "-o", folder / "torch.sqlite", "--", PYTHON, "-c", TORCH],
                         env={**os.environ, "PYTHONPATH": str(own)}, capture_output=True, text=True, check=False,
                         timeout=PATIENCE_S)
    counts = Recorded(folder / "torch.sqlite").counts()
    check((run.stdout, counts["layer"]) == ("done\n", 1), (run.stderr, counts))
    check("no PyTorch module" not in run.stderr, run.stderr)


def without_imports(shown):
    """The list of loaded modules left out: what waits for torch needs some of the standard library's."""
    return re.sub(r"\['[a-z_A-Z][^\]]*'zipimport'[^\]]*\]", "", shown)


def no_torch(folder):
    """A program without PyTorch pays for nothing but the names of its imports."""
    script = "import json, sys; print([m for m in sys.modules if m.startswith('_sonde_torch')])"
    _, under, _ = record(folder / "no_torch.sqlite", sys.executable, "-c", script)
    check(under.stdout == "['_sonde_torch', '_sonde_torch.on_import']\n", under.stdout)
    check("no PyTorch module call was recorded" in under.stderr, under.stderr)


def main():
    if subprocess.run([PYTHON, "-c", "import torch"], capture_output=True, check=False).returncode != 0:
        print(f"skipped: {PYTHON} has no torch (Debian: python3-torch; another Python: SONDE_TORCH_PYTHON)")
        sys.exit(SKIPPED)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for one in (plain, calls_within_calls, recomputed, kinds_of_outputs, wrappers, threads_and_processes,
                    several_optimizers, a_failure_of_ours, left_as_it_was, other_finders, start_of_python, no_torch):
            print(f"{one.__name__}: {one(folder) or 'ok'}", flush=True)


if __name__ == "__main__":
    main()
