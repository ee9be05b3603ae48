#!/usr/bin/env python3
"""A part of a program's GPU work that the program chooses itself: by cudaProfilerStart() and cudaProfilerStop()."""

import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "shared"))
from _cuda import PROGRAM, SCALE, VERSIONS, Cuda, accounts, environment, record
from _recorded import PATIENCE_S, SONDE, check

RANGE = "--capture-range=cudaProfilerApi"


def profiler_range(folder):
    """Only what lies between cudaProfilerStart() and cudaProfilerStop()."""
    for version in VERSIONS:
        path = folder / f"range{version}.sqlite"
        run = record(path, "profiler", 4, version=version,
                     options=[RANGE, "--capture-range-end=stop"])
        (account,) = accounts(run)
        recorded = Cuda(path)
        check(run.returncode == 0 and recorded.kernels() == account["kernels"], (version, recorded.kernels(), run.stderr))
        check(recorded.copies() == account["copies"], (version, recorded.copies()))
        check(recorded.counts() == {"step 0": 2, "step 1": 2, "forward": 4}, (version, recorded.counts()))
    path = folder / "all.sqlite"
    run = record(path, "profiler", 4)
    check(Cuda(path).kernels()[SCALE] == [8, 4000], "without a range all is recorded")


def never_begun(folder):
    path = folder / "never.sqlite"
    run = record(path, "plain", 2, options=[RANGE])
    check(run.returncode == 1 and not path.exists(), run.returncode)
    check("no profile was written: the program did not call cudaProfilerStart()" in run.stderr, run.stderr)


def one_after_the_other(folder):
    """A profile each time that the program asks for one."""
    run = record(folder / "repeat.sqlite", "ranges", 4, options=[RANGE, "--capture-range-end=repeat:3"])
    (account,) = accounts(run)
    files = sorted(path for path in folder.glob("repeat*.sqlite"))
    check(len(files) == 3, ([path.name for path in files], run.stderr))
    for path in files:
        found = Cuda(path).kernels()
        check(found == {name: [count // 3, ns // 3] for name, (count, ns) in account["kernels"].items()}, (path.name, found))


def with_metrics(folder):
    """Kernels are measured in the range that the program asks for; a recording that could not see it is refused."""
    run = subprocess.run([SONDE, "record", "-f", "--self-test=false", "--metrics", "sm__cycles_active.avg", "-c",
                          "cudaProfilerApi", "-o", folder / "measured.sqlite", "--", PROGRAM, "profiler", "4"],
                         env=environment(), capture_output=True, text=True, check=False, timeout=PATIENCE_S)
    ((measured,),) = Cuda(folder / "measured.sqlite").rows("SELECT count(*) FROM SONDE_KERNEL_PROFILE")
    (account,) = accounts(run)
    launches = sum(count for count, _ in account["kernels"].values())
    check(run.returncode == 0 and 0 < measured <= launches, (run.returncode, measured, launches, run.stderr))
    run = subprocess.run([SONDE, "record", "-t", "nvtx", "-c", "cudaProfilerApi", "true"], capture_output=True, text=True,
                         check=False)
    check(run.returncode == 2 and "needs -t cuda or --metrics" in run.stderr, run.stderr)


def main():
    with tempfile.TemporaryDirectory() as name:
        for part in (profiler_range, never_begun, one_after_the_other, with_metrics):
            print(f"{part.__name__}: {part(Path(name)) or 'ok'}", flush=True)


if __name__ == "__main__":
    main()
