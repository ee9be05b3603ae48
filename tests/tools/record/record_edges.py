#!/usr/bin/env python3
"""Regression tests of rare cases: forks while a lock is held or within a handler, programs without a free pthread key,
strings that are not valid UTF-8."""

import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "shared"))
from _recorded import TOOLS, Recorded, check, record

EDGE = TOOLS / "edge_program"


def forks_under_lock(folder):
    """A child of fork() takes a lock that a thread of its parent held: its name is there."""
    path = folder / "locked.sqlite"
    run = record(path, EDGE, "fork_locked", "100", options=["-t", "nvtx"])
    check(run.returncode == 0 and run.stdout == "children that registered a name: 100\n", (run.stdout, run.stderr))
    check(Recorded(path).counts() == {"of a child": 100}, Recorded(path).counts())


def names_of_many_threads(folder):
    """A thread that is stopped while it registers a name keeps none from registering theirs."""
    path = folder / "names.sqlite"
    run = record(path, EDGE, "names", "3000", options=["-t", "nvtx"])
    check(run.stdout == "refused: 0\n" and Recorded(path).counts() == {"of a thread": 64}, (run.stdout, run.stderr))


def names_in_handler(folder):
    """Nor does one that is interrupted by a signal, whose handler registers one."""
    run = record(folder / "names_in_handler.sqlite", EDGE, "names_in_handler", "500000", options=["-t", "nvtx"])
    check(run.stdout == "refused: 0\n", (run.stdout, run.stderr))


def names_run_out(folder):
    """Beyond a million names of a process there are no more, which is told with how many were refused."""
    run = record(folder / "names_run_out.sqlite", EDGE, "names", "16400", options=["-t", "nvtx"])
    refused = 64 * (16400 + 1) - (1 << 20)  # each thread registers one more for a range
    check(refused - 64 <= int(run.stdout.removeprefix("refused: ")) <= refused, (run.stdout, run.stderr))
    check(f"registered strings and domains dropped: the limit per process was reached: {refused}\n" in run.stderr, run.stderr)


def forks_in_handler(folder):
    """Parent and child go on to record, each in its own place."""
    path = folder / "handler.sqlite"
    run = record(path, EDGE, "fork_in_handler", "50", options=["-t", "nvtx"])
    check(run.returncode == 0 and run.stdout == "handled\n", (run.stdout, run.stderr))
    recorded = Recorded(path)
    counts = recorded.counts()
    check(counts["behind the handlers"] == 1000, counts)
    # A child whose parent was just writing drops its ranges, which is counted.
    check(counts["in the child of a handler"] <= 50 + 1, counts)
    parents = recorded.rows("SELECT DISTINCT globalTid >> 24 FROM NVTX_EVENTS WHERE text = 'in the parent'")
    children = recorded.rows("SELECT DISTINCT globalTid >> 24 FROM NVTX_EVENTS WHERE text = 'in the child of a handler'")
    check(len(parents) == 1 and parents[0] not in children, (parents, children))


def no_key_left(folder):
    path = folder / "keys.sqlite"
    run = record(path, EDGE, "no_keys", "300", options=["-t", "nvtx"])
    check(run.stdout == "keys taken: all\n" and run.returncode == 0, (run.stdout, run.stderr))
    check(Recorded(path).counts() == {"without a key": 30000}, (Recorded(path).counts(), run.stderr))


def broken_text(folder):
    path = folder / "latin1.sqlite"
    record(path, EDGE, "latin1", options=["-t", "nvtx"])
    check(Recorded(path).counts() == {"gr\ufffd\ufffde": 1}, Recorded(path).counts())


def main():
    with tempfile.TemporaryDirectory() as name:
        for part in (forks_under_lock, names_of_many_threads, names_in_handler, names_run_out, forks_in_handler, no_key_left, broken_text):
            part(Path(name))
            print(f"{part.__name__}: ok", flush=True)


if __name__ == "__main__":
    main()
