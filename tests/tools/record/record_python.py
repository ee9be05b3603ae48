#!/usr/bin/env python3
"""Checks the samples of Python threads of `sonde record` on a program that measures its own shares, with each CPython 3.8
to 3.13 that is here: those of PATH, of pyenv, and those that SONDE_PYTHONS names, separated by colons."""

import json
import math
import os
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "shared"))
from _recorded import PATIENCE_S, SONDE, Recorded, check, record

PROGRAM = Path(__file__).resolve().parents[1] / "programs" / "recorded" / "python_shares.py"
NONE, HOLDS, WAITS = 0, 1, 2
RUNNING, WAITING = 1, 7
FIRST, LAST = 8, 13
# The program's clock and the sampler's differ where the machine is busy: a thread that is ready is sampled as running.
SLACK = 0.03


def interpreters():
    """minor -> (version, path) of one of each version, by its own word."""
    named = [Path(path) for path in os.environ.get("SONDE_PYTHONS", "").split(":") if path]
    by_name = [shutil.which(f"python3.{minor}") for minor in range(FIRST, LAST + 1)]
    pyenv = sorted(Path.home().glob(".pyenv/versions/3.*/bin/python3"))
    found = {}
    for path in [*named, *pyenv, *[Path(p) for p in [*by_name, sys.executable] if p]]:
        run = subprocess.run([path, "-c", "import platform, sys, zlib; print(sys.implementation.name, platform.python_version())"],
                             capture_output=True, text=True, check=False)
        name, _, version = run.stdout.strip().partition(" ")
        minor = int(version.split(".")[1]) if run.returncode == 0 and version.startswith("3.") else 0
        if name == "cpython" and FIRST <= minor <= LAST:
            found.setdefault(minor, (version, path))
    return dict(sorted(found.items()))


class Sampled(Recorded):
    def stacks(self):
        """(thread, state, gil, ((function, file, line), ...) innermost first) of each sample."""
        chains = {}
        for chain, *frame in self.rows(
                "SELECT c.id, s.value, m.value, line FROM SONDE_PYTHON_CALLCHAIN c JOIN StringIds s ON s.id = symbol "
                "JOIN StringIds m ON m.id = module ORDER BY c.id, stackDepth"):
            chains.setdefault(chain, []).append(tuple(frame))
        return [(thread, state, gil, chains.get(chain, [])) for thread, state, gil, chain in self.rows(
            "SELECT globalTid, threadState, gil, callchainId FROM SONDE_PYTHON_SAMPLE ORDER BY start")]


def sampled(folder, python, *words, options=("--python-sampling=true",), frequency=500, name="run"):
    path = folder / f"{name}.sqlite"
    path.unlink(missing_ok=True)
    run = record(path, python, PROGRAM, *words,
                 options=["-t", "none", *options, f"--python-sampling-frequency={frequency}"])
    check(run.returncode == 0, (run.returncode, run.stderr))
    return run, Sampled(path)


def bare(function):
    """CPython 3.11 and later tell qualified names."""
    return function.rpartition(".")[2]


def innermost_of(stack, names):
    return next((bare(function) for function, _, _ in stack if bare(function) in names), None)


def check_share(part, whole, expected, what):
    """Within 5 standard deviations of a random draw: but for one time in a million."""
    check(whole > 50, (what, "too few samples", whole))
    tolerance = 5 * math.sqrt(expected * (1 - expected) / whole) + SLACK
    check(abs(part / whole - expected) < tolerance, (what, part, whole, round(part / whole, 3), round(expected, 3), tolerance))


def known_shares(folder, version, python):
    """Shares of CPU time by function: samples that ran, against the program's own thread clock."""
    run, profile = sampled(folder, python, "shares", "3")
    truth = json.loads(run.stdout)
    stacks = profile.stacks()
    names = {"one", "three", "deep", "generated", "<lambda>", "pack", "order"}
    ran = [innermost_of(stack, names) for _, state, _, stack in stacks if state == RUNNING]
    counted = [name for name in ran if name]
    for name in names:
        expected = truth[name.strip("<>")] / sum(truth.values())
        check_share(counted.count(name), len(counted), expected, (version, name))
    text = PROGRAM.read_text().splitlines()
    line = {name: 1 + next(i for i, row in enumerate(text) if f'spin(0.' in row and f'"{name}"' in row)
            for name in ("one", "three", "deep", "generated")}
    told = {(bare(function), at) for _, _, _, stack in stacks for function, file, at in stack
            if file == str(PROGRAM) and bare(function) in line and innermost_of(stack, {"spin"})}
    calling = {(name, at) for name, at in told if at == line[name]}
    check({name for name, _ in calling} == set(line), (version, "lines of the calls", told, line))
    whole = [stack for *_, stack in stacks if innermost_of(stack, {"spin"})]
    cut = [stack for stack in whole if stack[-1][0] != "<module>"]
    check(not cut, (version, "stacks reach the module", len(cut), len(whole), cut[:1]))
    depths = [len(stack) for stack in whole if innermost_of(stack, names) == "deep"]
    check(set(depths) == {201 + 3}, (version, "spin, 201 calls of deep, shares, <module>", set(depths)))
    return run, profile, stacks, truth


def use_of_the_lock(version, stacks):
    """In C with the lock and without it, and at rest."""
    use = {name: [(state, gil) for _, state, gil, stack in stacks if stack and bare(stack[0][0]) == name]
           for name in ("pack", "order", "rest", "spin")}
    for name, expected, least in (("order", HOLDS, 0.9), ("spin", HOLDS, 0.9), ("pack", NONE, 0.7)):  # with it, memory is got
        ran = [gil for state, gil in use[name] if state == RUNNING]
        check(ran.count(expected) > least * len(ran) and len(ran) > 20, (version, name, expected, Counter(ran)))
    slept = [state for state, _ in use["rest"]]
    check(slept.count(WAITING) > 0.5 * len(slept) and len(slept) > 20, (version, "rest", slept))
    check(sum(gil == WAITS for _, _, gil, _ in stacks) < 0.01 * len(stacks), (version, "one thread waits for nobody"))


def rates(version, run, profile, stacks):
    """As many samples as were asked for, but for those that the recorder says it missed; and its own words."""
    (begin, end), = profile.rows("SELECT min(start), max(start) FROM SONDE_PYTHON_SAMPLE")
    missed = sum(int(text.split()[0]) for text in profile.remarks() if "too late" in text)
    due = (end - begin) / 1e9 * 500
    check(0.95 * due < len(stacks) + missed < 1.05 * due + 5, (version, len(stacks), missed, due))
    said, = [text for text in profile.remarks() if "samples of Python threads" in text]
    check(f"{len(stacks)} samples of Python threads at 500 Hz in 1 process (CPython 3.{version.split('.')[1]}" in said, said)
    check(f"sonde: {said}" in run.stderr, run.stderr)


def own_sampler(folder, version, python):
    """A second reading: what a thread of the program itself sees by sys._current_frames()."""
    run, profile = sampled(folder, python, "own_sampler", "2")
    seen = json.loads(run.stdout)
    mine = [innermost_of(stack, seen) for *_, stack in profile.stacks()]
    mine = [name for name in mine if name]
    total = sum(seen.values())
    for name, count in seen.items():
        expected = count / total
        spread = 5 * math.sqrt(expected * (1 - expected) * (1 / total + 1 / len(mine))) + SLACK
        check(abs(mine.count(name) / len(mine) - expected) < spread, (version, name, mine.count(name), len(mine), count, total))


def fight_for_the_lock(folder, version, python):
    """Of N threads that compute in Python one has the lock at a time, so each waits (N - 1) / N of its time, whatever the
    machine does."""
    threads = 4
    run, profile = sampled(folder, python, "fight", "2.5", threads, options=["-t", "python-gil"], name="gil")
    stacks = profile.stacks()
    by_thread = {}
    for thread, state, gil, stack in stacks:
        check(not stack, "python-gil alone takes no stacks")
        by_thread.setdefault(thread, []).append((state, gil))
    fighting = [samples for thread, samples in by_thread.items() if thread & 0xFFFFFF != thread >> 24 & 0xFFFFFF]
    check(len(fighting) == threads, (version, {thread: len(samples) for thread, samples in by_thread.items()}))
    every = [gil for samples in fighting for _, gil in samples]
    check_share(every.count(HOLDS), len(every), 1 / threads, (version, "hold the lock"))
    check(every.count(WAITS) > 0.8 * (threads - 1) / threads * len(every), (version, "wait for it", every.count(WAITS), len(every)))
    truth = json.loads(run.stdout)
    wall = truth.pop("wall")
    check(sum(truth.values()) < 1.2 * wall, (version, "the program's own clocks: one computes at a time", truth, wall))
    return every.count(WAITS) / len(every)


def idle_threads(folder, version, python):
    _, profile = sampled(folder, python, "idle", "1.5")
    by_function = {}
    for thread, state, gil, stack in profile.stacks():
        by_function.setdefault(thread, []).append((state, gil))
    check(len(by_function) == 3, (version, len(by_function)))
    ran = sorted(sum(state == RUNNING for state, _ in samples) / len(samples) for samples in by_function.values())
    check(ran[0] < 0.1 and ran[1] < 0.1 and ran[2] > 0.8, (version, ran))
    waits = sum(gil == WAITS for samples in by_function.values() for _, gil in samples)
    check(waits < 0.02 * sum(map(len, by_function.values())), (version, "waits for the lock", waits))


# Who calls whom in the program's storm; a code object of exec() is called <module>.
CALLERS = {"fib": {"fib", "storm"}, "passed_on": {"passed_on", "storm"}, "raised": {"raised", "storm"}, "storm": {"<module>"},
           "fresh": {"<module>"}, "<module>": {"storm", None}}


def possible_stacks(folder, version, python):
    """A program that calls and returns all the time: stacks that were read of two moments would show callers that no
    function has. Gives how many were torn."""
    _, profile = sampled(folder, python, "storm", "2", frequency=2000)
    stacks = [[bare(function) for function, file, _ in stack if file in (str(PROGRAM), "<string>")]
              for *_, stack in profile.stacks()]
    stacks = [stack for stack in stacks if "storm" in stack]
    check(len(stacks) > 200, (version, len(stacks)))
    wrong = [stack for stack in stacks
             if any(caller not in CALLERS[callee] for callee, caller in zip(stack, [*stack[1:], None]))]
    check(len(wrong) <= 0.02 * len(stacks), (version, len(wrong), len(stacks), wrong[:2]))
    torn = sum(int(text.split()[0]) for text in profile.remarks() if "changed while" in text)
    check(torn < 0.25 * len(stacks), (version, "torn", torn, len(stacks)))
    return f"{len(stacks)} stacks in a storm of calls, {torn} torn, {len(wrong)} impossible"


def processes(folder, version, python):
    """After fork() the child's threads have numbers of their own."""
    run, profile = sampled(folder, python, "children", "1")
    child = int(run.stdout)
    functions = {}
    for thread, _, _, stack in profile.stacks():
        if found := innermost_of(stack, {"one", "three"}):
            functions.setdefault(thread >> 24 & 0xFFFFFF, set()).add(found)
    check(functions.pop(child, None) == {"one"}, (version, "the child", child, functions))
    check(list(functions.values()) == [{"three"}], (version, "its parent", functions))


def other_programs(folder):
    """What is no Python, and what becomes Python by exec()."""
    run = record(folder / "none.sqlite", "sleep", "0.3", options=["-t", "none", "--python-sampling=true"])
    check(run.returncode == 0 and "no Python thread was sampled: no process of the program runs CPython 3.8 to 3.13" in run.stderr,
          run.stderr)
    run = record(folder / "sh.sqlite", "sh", "-c", f"sleep 0.2; exec {sys.executable} {PROGRAM} shares 1",
                 options=["-t", "none", "--python-sampling=true"])
    found = {bare(function) for *_, stack in Sampled(folder / "sh.sqlite").stacks() for function, _, _ in stack}
    check({"one", "three", "shares"} <= found, found)
    table = subprocess.run([SONDE, "stats", "-q", "-r", "python_function_sum,python_thread_sum", folder / "sh.sqlite"],
                           check=True, capture_output=True, text=True, timeout=PATIENCE_S).stdout
    check("python_shares.py" in table and "Python Thread Summary" in table, table)


def not_asked_for(folder):
    run = record(folder / "off.sqlite", sys.executable, PROGRAM, "shares", "0.2", options=["-t", "none"])
    check(not Sampled(folder / "off.sqlite").stacks() and "Python" not in run.stderr, run.stderr)


def main():
    found = interpreters()
    missing = [f"3.{minor}" for minor in range(FIRST, LAST + 1) if minor not in found]
    print(f"interpreters: {', '.join(version for version, _ in found.values())}; not here: {', '.join(missing) or 'none'}")
    with tempfile.TemporaryDirectory(dir=os.environ.get("TMPDIR")) as name:
        folder = Path(name)
        not_asked_for(folder)
        other_programs(folder)
        for version, python in found.values():
            run, profile, stacks, _ = known_shares(folder, version, python)
            use_of_the_lock(version, stacks)
            rates(version, run, profile, stacks)
            own_sampler(folder, version, python)
            waits = fight_for_the_lock(folder, version, python)
            idle_threads(folder, version, python)
            processes(folder, version, python)
            storm = possible_stacks(folder, version, python)
            print(f"{version}: ok; {len(stacks)} samples; {storm}; four threads wait {waits:.0%} of the time")


if __name__ == "__main__":
    main()
