#!/usr/bin/env python3
"""judge.py DIR [CALL[.PART]...]: judges what tests/gpu/run collected in DIR, or in the archive DIR.tar.gz, here or on
another host. Prints a line for each part, and ends with 1 if one failed. A part that the host could not run, or that the
time did not suffice for, has not failed."""

import importlib
import re
import sys
import tarfile
import tempfile
from collections import Counter
from pathlib import Path

from _evidence import HERE, Failed, Missing, NotReached, Part

CALLS = ("first", "timeline", "counters", "pytorch", "truth")


def default(part):
    """Where nothing is known of the results, the commands must have succeeded."""
    for name in part.steps():
        part.done(name)
    return f"{len(part.steps())} commands"


def judged(part, judge):
    """(outcome, what to say)"""
    try:
        part.is_collected()
        return "ok", judge(part) or ""
    except Missing as missing:
        return "skipped", str(missing)
    except NotReached as late:
        return "not reached", str(late)
    except Failed as failed:
        return "FAILED", str(failed)
    except Exception as error:  # pylint: disable=broad-except
        return "FAILED", f"the profile could not be read: {type(error).__name__}: {error}"


def names_of(call):
    """The parts of a call, as its script lists them."""
    text = (HERE / f"collect/{call}.sh").read_text()
    return re.search(rf'^parts_{call}="([^"]*)"$', text, re.M).group(1).split()


def parts(folder, words):
    """(name, folder, its judge) of what was collected, in the order of triage."""
    for call in CALLS:
        module = importlib.import_module(f"judge_{call}")
        for part in names_of(call):
            name = f"{call}.{part}"
            if (folder / name).is_dir() and (not words or name in words or call in words):
                yield name, folder / name, getattr(module, part, default)


def judge_all(folder, words):
    outcomes = Counter()
    for name, path, judge in parts(folder, words):
        part = Part(path)
        outcome, said = judged(part, judge)
        outcomes[outcome] += 1
        seconds = part.text("seconds").strip() or "-"
        print(f"{name}: {outcome}{': ' if said else ''}{' '.join(said.split())} ({seconds} s)", flush=True)
    print(f"gpu-test: {outcomes['ok']} ok, {outcomes['skipped']} skipped, {outcomes['not reached']} not reached, "
          f"{outcomes['FAILED']} failed")
    if outcomes["ok"] + outcomes["FAILED"] == 0:
        print("gpu-test: nothing was judged: this host could run none of it")
    return 1 if outcomes["FAILED"] else 0


def main():
    place, words = Path(sys.argv[1]), sys.argv[2:]
    if place.is_dir():
        return judge_all(place, words)
    if not place.is_file():
        sys.exit(f"judge.py: there is no folder or archive {place}")
    with tempfile.TemporaryDirectory(prefix="sonde-gpu-") as folder:
        with tarfile.open(place) as archive:
            archive.extractall(folder, filter="data") if hasattr(tarfile, "data_filter") else archive.extractall(folder)
        (content,) = Path(folder).iterdir()
        return judge_all(content, words)


if __name__ == "__main__":
    sys.exit(main())
