#!/usr/bin/env python3
"""The kit of ./dev gpu-kit runs to its end in bare Debian 11 and 13 systems, which have no GPU, no Python and no compiler,
and says for each part why it could not run. Its archive is judged here. `gpu_kit.py SUITE...` tries these."""

import re
import shutil
import subprocess
import sys

import _bare_root as bare
from _bare_root import Root

KIT = bare.SOURCES / "build/gpu-kit"
LARGEST = 40_000_000
SUITES = ("bullseye", "trixie")


def check(condition, what):
    if not condition:
        raise AssertionError(what)


def size_of(folder):
    return sum(path.lstat().st_size for path in folder.rglob("*"))


def judged(archive):
    done = subprocess.run([KIT / "run", "--from", archive], capture_output=True, text=True, check=False)
    check(done.returncode == 0, f"{done.stdout}{done.stderr}")
    return done.stdout


def try_kit(suite):
    with Root(suite, "kit") as root:
        shutil.copytree(KIT, root.path / "opt/gpu-kit")
        check(not (root.path / "usr/bin/python3").exists(), "a bare system has no Python")
        parts = root.run("/opt/gpu-kit/run", "--list").split()
        said = root.run("/opt/gpu-kit/run", "all", "--out", "/tmp/results", user="nobody:nogroup")
        table = said[said.index("archive: "):]
        for part in parts:
            check(re.search(rf"^{part} +skipped: no NVIDIA driver", table, re.M), f"{part} gave no reason: {said}")
        check("No python3 on this host" in table, table)
        version = (root.path / "tmp/results/host/sonde").read_text()
        check(version.startswith("sonde"), f"the program does not start: {version}")
        sonde = "/opt/gpu-kit/bin/sonde"
        said = root.run(sonde, "record", "-t", "osrt", "-o", "/tmp/run.sqlite", "--", "/bin/sleep", "0.1", user="nobody:nogroup")
        check("profile written to /tmp/run.sqlite" in said, f"the recorder printed no line of its profile: {said}")
        calls = root.run(sonde, "stats", "-r", "osrt_sum", "/tmp/run.sqlite", user="nobody:nogroup")
        check("sleep" in calls, f"the recording has no call of sleep: {said}{calls}")
        text = judged(root.path / "tmp/results.tar.gz")
        check(f"0 ok, {len(parts)} skipped, 0 not reached, 0 failed" in text, text)


def main():
    if not (KIT / "run").exists():
        bare.skip(f"{KIT} does not exist; ./dev gpu-kit makes it")
    bare.enter_own_mounts()
    check(size_of(KIT) <= LARGEST, f"the kit has {size_of(KIT)} bytes")
    for suite in sys.argv[1:] or SUITES:
        try_kit(suite)
        print(f"{suite}: passed", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
