#!/usr/bin/env python3
"""Checks CPU samples, call stacks and thread states of `sonde record`, on programs that measure by their own CPU clocks
what the samples must show. Without permission for perf events, only the message is tested."""

import math
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "shared"))
from _recorded import PATIENCE_S, PROGRAM, SONDE, TOOLS, Recorded, check, fix_addresses, record

SAMPLED = TOOLS / "sampled_program"
ON = ["-t", "none", "-s", "process-tree"]
LEVELS = ["level_three", "level_two", "level_one"]
# What chains of all processes may miss: a C program's first instructions, before the loader has set anything up.
FEW_BROKEN = 0.05


class Sampled(Recorded):
    def samples(self):
        return self.rows("SELECT id, start, globalTid, cpu, threadState FROM COMPOSITE_EVENTS ORDER BY start")

    def chains(self):
        """sample -> ((symbol, module), ...) of its user part, innermost first."""
        chains = {}
        for sample, symbol, module in self.rows(
                "SELECT c.id, s.value, m.value FROM SAMPLING_CALLCHAINS c JOIN StringIds s ON s.id = symbol "
                "JOIN StringIds m ON m.id = module WHERE NOT kernelMode ORDER BY c.id, stackDepth"):
            chains.setdefault(sample, []).append((symbol, module))
        return chains

    def symbols(self):
        return [[symbol for symbol, _ in chain] for chain in self.chains().values()]

    def switches(self):
        return self.rows("SELECT start, isSchedIn, globalTid, threadState FROM SCHED_EVENTS ORDER BY start")

    def broken(self):
        """The share that the recording states."""
        ((percent, chains),) = [re.match(r"([\d.]+) % of (\d+) call stacks are incomplete", text).groups()
                                for text in self.remarks() if "are incomplete" in text]
        return float(percent) / 100, int(chains)


def sampled(path, *words, options=ON, **settings):
    run = record(path, *words, options=options, **settings)
    check(run.returncode == 0, (run.returncode, run.stderr))
    check("lost" not in run.stderr, run.stderr)
    return run, Sampled(path)


def permitted(folder):
    run = record(folder / "permitted.sqlite", "true", options=ON)
    return "no CPU samples" not in run.stderr, run.stderr


def check_share(part, whole, expected, what):
    """Samples fall at random: their share of n lies within 5 standard deviations of the true one, but for one time in a
    million. One percent more for what runs between the program's looks at its clock and the work."""
    tolerance = 5 * math.sqrt(expected * (1 - expected) / whole) + 0.01
    check(abs(part / whole - expected) < tolerance, (what, part, whole, expected, tolerance))


def shares_are_true(folder, name, program, mode="shares", count=300, beneath=("main",)):
    run, profile = sampled(folder / f"{name}.sqlite", program, mode, str(count))
    one, three = map(float, run.stdout.split())
    chains = [chain for chain in profile.symbols() if "spin_one" in chain or "spin_three" in chain]
    leaves = [next(s for s in chain if s.startswith("spin_")) for chain in chains]
    check_share(leaves.count("spin_one"), len(leaves), one / (one + three), name)
    expected = (one + three) * 1000
    check(0.5 * expected < len(leaves) < 1.2 * expected, (name, "samples of each second", len(leaves), expected))
    wanted = LEVELS + list(beneath)
    good = [chain for chain in chains if all(s in chain[-len(wanted) - 8:] or s in chain for s in wanted)
            and chain[chain.index("level_three"):chain.index("level_three") + 3] == LEVELS]
    check(len(good) >= 0.99 * len(chains), (name, len(good), len(chains), chains[:3]))
    share, _ = profile.broken()
    check(share < FEW_BROKEN, (name, share))
    return profile


def known_shares(folder):
    profile = shares_are_true(folder, "shares", SAMPLED)
    check({state for *_, state in profile.samples()} == {1}, "threads that are sampled run")
    shares_are_true(folder, "static", TOOLS / "sampled_static")
    shares_are_true(folder, "sanitizer", TOOLS / "sampled_asan")
    shares_are_true(folder, "other_stack", SAMPLED, "context", beneath=("on_other_stack",))
    profile = shares_are_true(folder, "thread", SAMPLED, "thread", beneath=("thread_main",))
    check(len({thread for _, _, thread, *_ in profile.samples()}) <= 2, "threads")


def without_names(folder):
    """A stripped program: its functions are addresses, and its chains are whole all the same."""
    _, profile = sampled(folder / "stripped.sqlite", TOOLS / "sampled_stripped", "shares", "100")
    own = [symbol for chain in profile.chains().values() for symbol, module in chain if module.endswith("_stripped")]
    check(own and all(re.fullmatch(r"0x[0-9a-f]+", symbol) for symbol in own), set(own))
    check(profile.broken()[0] < FEW_BROKEN, profile.broken())


def by_frame_pointers(folder):
    """Without them in the program: chains that miss callers, but samples in the right functions."""
    run, profile = sampled(folder / "fp.sqlite", SAMPLED, "shares", "200", options=[*ON, "-b", "fp"])
    one, three = map(float, run.stdout.split())
    leaves = [chain[0] for chain in profile.symbols()]
    ones, threes = leaves.count("spin_one"), leaves.count("spin_three")
    check_share(ones, ones + threes, one / (one + three), "fp")
    run, profile = sampled(folder / "flat.sqlite", SAMPLED, "shares", "200", options=[*ON, "-b", "none"])
    check({len(chain) for chain in profile.chains().values()} == {1} and "broken" not in run.stderr, run.stderr)


def cpp_threads(folder):
    _, profile = sampled(folder / "threads.sqlite", TOOLS / "sampled_threads", "100")
    spinning = [chain for chain in profile.symbols() if any("spin_in_template<unsigned long>" in s for s in chain)]
    threads = {thread for _, _, thread, *_ in profile.samples()}
    check(len(spinning) > 100 and len(threads) >= 4, (len(spinning), len(threads)))
    check(all("std::_Function_handler" in chain[1] for chain in spinning), ("a std::function calls it", spinning[0]))
    check(profile.broken()[0] < FEW_BROKEN, profile.broken())


def python(folder):
    """Its functions are the interpreter's; the chains reach its start."""
    code = "import json\nfor _ in range(300): json.loads(json.dumps(list(range(2000))))"
    _, profile = sampled(folder / "python.sqlite", sys.executable, "-c", code)
    check(any(any("Py" in s for s in chain) for chain in profile.symbols()), "functions of the interpreter")
    check(profile.broken()[0] < 2 * FEW_BROKEN, profile.broken())


def processes(folder):
    """fork() and exec(): each process has its own samples, and those of one are named by its own program."""
    script = f"{SAMPLED} shares 100 & {TOOLS}/sampled_static shares 100; wait"
    _, profile = sampled(folder / "processes.sqlite", "sh", "-c", script)
    programs = {}
    chains = profile.chains()
    for sample, _, thread, *_ in profile.samples():
        for symbol, module in chains.get(sample, []):
            if symbol == "spin_three":
                programs.setdefault(thread >> 24, set()).add(Path(module).name)
    check(sorted(map(sorted, programs.values())) == [["sampled_program"], ["sampled_static"]], programs)
    names = {name for (name,) in profile.rows("SELECT name FROM PROCESSES")}
    check(any("sampled_static" in name for name in names), names)


def unloaded_library(folder):
    """Where a library lay is known after it is gone."""
    _, profile = sampled(folder / "unloaded.sqlite", TOOLS / "sampled_loader", TOOLS / "libsampled_library.so", "200")
    spinning = [chain for chain in profile.symbols() if "spin_in_library" in chain]
    check(len(spinning) > 50 and all("main" in chain for chain in spinning), len(spinning))


def made_code(folder):
    """Code made at run time: named by the file that its maker wrote, left by its frame pointer."""
    path = None
    try:
        run, profile = sampled(folder / "made.sqlite", SAMPLED, "made", "300")
        path = run.stdout.strip()
        spinning = [chain for chain in profile.symbols() if "made_at_run_time" in chain]
        whole = ["main" in chain for chain in spinning]  # all but before its first and behind its last instruction
        check(len(whole) > 30 and sum(whole) >= 0.95 * len(whole), (sum(whole), len(whole)))
    finally:
        if path:
            os.unlink(path)


def replaced_program(folder):
    """A file that is another one when the recording ends gives no names: wrong ones would be worse."""
    copy = folder / "replaced"
    copy.write_bytes(SAMPLED.read_bytes())
    copy.chmod(0o755)
    script = f"{copy} shares 50; cp {TOOLS}/sampled_static {copy}.new; mv {copy}.new {copy}"
    run, profile = sampled(folder / "replaced.sqlite", "sh", "-c", script)
    own = {symbol for chain in profile.chains().values() for symbol, module in chain if module == str(copy)}
    check(own and not any("spin" in symbol or "level" in symbol for symbol in own), own)
    check("was replaced after it ran" in run.stderr, run.stderr)


def blocked(profile):
    """Seconds off core while waiting, of the thread with the most switches."""
    threads = [thread for *_, thread, _ in profile.switches()]
    of = max(set(threads), key=threads.count)
    since, total = None, 0
    for start, is_in, thread, state in profile.switches():
        if thread != of:
            continue
        if is_in and since is not None:
            total += start - since
        since = start if not is_in and state == 7 else None
    return total / 1e9


def thread_states(folder):
    run, profile = sampled(folder / "sleeps.sqlite", SAMPLED, "sleeps", "50", options=["-t", "none", "--cpuctxsw=process-tree"])
    slept = float(run.stdout)
    check(0.9 * slept < blocked(profile) <= slept, (slept, blocked(profile)))
    check(not profile.samples(), "samples that nobody asked for")
    table = subprocess.run([SONDE, "stats", "-q", "-r", "thread_sum", "-f", "csv", profile.path], check=True,
                           capture_output=True, text=True).stdout
    check("scheduling" in table, table)
    ends = {state for _, is_in, _, state in profile.switches() if not is_in}
    check(5 in ends, ("the end of a thread", ends))


def only_the_span(folder):
    """--delay: nothing from before; names of what was mapped before."""
    _, profile = sampled(folder / "delay.sqlite", SAMPLED, "shares", "400", options=[*ON, "-y", "0.5"])
    check(all(start >= 0 for _, start, *_ in profile.samples()), "samples before the begin")
    check(any("spin_three" in chain for chain in profile.symbols()), "names of what was mapped before the begin")
    _, profile = sampled(folder / "off.sqlite", PROGRAM, "nested", "10", options=["-t", "nvtx"])
    check(not profile.samples() and not profile.switches(), "what nobody asked for")


def nobody():
    """A user without rights, as words before a command; none where this is one, or where that cannot be made."""
    if os.geteuid() != 0:
        return []
    return ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "--inh-caps=-all", "--bounding-set=-all"]


def not_permitted(folder):
    """The reason and what helps is said and kept; everything else is as ever."""
    if int(Path("/proc/sys/kernel/perf_event_paranoid").read_text()) < 1:
        return "skipped: this kernel permits everything to everyone"
    folder.chmod(0o755)
    place = folder / "nobody"
    place.mkdir()
    place.chmod(0o777)
    command = [*nobody(), SONDE, "record", "-t", "nvtx", "-s", "system-wide", "-o", str(place / "run"), "--", str(PROGRAM),
               "nested", "10"]
    try:
        run = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE_S, check=False)
    except FileNotFoundError:
        return "skipped: there is no setpriv"
    if run.returncode in (126, 127) or "Permission denied" in run.stderr:
        return "skipped: users without rights cannot run what is built here"
    profile = Sampled(place / "run.sqlite")
    check(run.returncode == 0 and profile.counts() == {"outer": 10, "inner": 10}, (run.returncode, run.stderr))
    said = [text for text in profile.remarks() if text.startswith("no CPU samples and thread states: ")]
    check(len(said) == 1 and "perf_event" in said[0] and "permits it" in said[0], (profile.remarks(), run.stderr))
    check(f"warning: {said[0]}" in run.stderr, run.stderr)
    return "ok"


def main():
    fix_addresses()
    everything = [known_shares, without_names, by_frame_pointers, cpp_threads, python, processes, unloaded_library,
                  made_code, replaced_program, thread_states, only_the_span]
    with tempfile.TemporaryDirectory(dir=os.environ.get("TMPDIR")) as name:
        folder = Path(name)
        print(f"not_permitted: {not_permitted(folder)}")
        can, why = permitted(folder)
        if not can:
            print(f"skipped: {why}")
            return
        for test in everything:
            test(folder)
            print(f"{test.__name__}: ok")


if __name__ == "__main__":
    main()
