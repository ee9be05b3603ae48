#!/usr/bin/env python3
"""`sonde record` under launchers of distributed jobs, and launchers under `sonde record`: a profile for each rank, which
knows its rank. The launchers' environments are those of torchrun, Open MPI and srun; mpirun itself where it is installed.
Each worker sleeps once more often than its rank says."""

import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "shared"))
from _recorded import PATIENCE_S, SONDE, Recorded, check

RANKS = 3
WORKER = "i=0; while [ $i -le $1 ]; do sleep 0.01; i=$((i+1)); done"
# As torchrun: starts workers with their variables, waits for all of them, ends the others if one fails.
LAUNCHER = """
import os, signal, subprocess, sys
ranks = int(sys.argv[1])
workers = []
for rank in range(ranks):
    place = dict(RANK=str(rank), LOCAL_RANK=str(rank), WORLD_SIZE=str(ranks))
    words = [word.replace("@RANK", str(rank)) for word in sys.argv[2:]]
    workers.append(subprocess.Popen(words, env=os.environ | place))
while workers:
    worker = workers.pop()
    if worker.wait() != 0:
        for other in workers:
            other.send_signal(signal.SIGTERM)
"""
VARIABLES = ("RANK", "WORLD_SIZE", "LOCAL_RANK", "OMPI_COMM_WORLD_RANK", "SLURM_PROCID", "SLURM_STEP_ID", "PMI_RANK")


def run(folder, *words, **variables):
    environment = {k: v for k, v in os.environ.items() if k not in VARIABLES} | {"XDG_RUNTIME_DIR": str(folder)}
    return subprocess.run(list(map(str, words)), capture_output=True, text=True, check=False, timeout=PATIENCE_S, cwd=folder,
                          env=environment | {k: str(v) for k, v in variables.items()})


def record(*options):
    return [SONDE, "record", "-t", "osrt", "--self-test=false", *options, "--"]


def sleeps(path):
    """{process name: nanosleep calls}"""
    return dict(Recorded(path).rows(
        "SELECT p.name, count(*) FROM OSRT_API o JOIN StringIds s ON s.id = o.nameId JOIN PROCESSES p ON p.globalPid = "
        "o.globalTid & ~0xFFFFFF WHERE s.value LIKE '%nanosleep' GROUP BY 1"))


def ranks_in(path):
    """{(rank, world size, local rank)} of the processes."""
    return set(Recorded(path).rows("SELECT rank, worldSize, localRank FROM SONDE_PROCESS_RANK"))


def check_rank(folder, name, rank, place):
    path = folder / f"{name}_{rank}.sqlite"
    check(path.exists(), (name, rank, sorted(p.name for p in folder.iterdir())))
    check(sleeps(path).get("sleep") == rank + 1, (path, sleeps(path)))
    check(ranks_in(path) == {place}, (path, ranks_in(path)))
    summary = run(folder, SONDE, "summary", path.name)
    check(f"rank {rank} of {place[1]}" in summary.stdout, (summary.stdout, summary.stderr))


def a_launcher_under_the_recorder(folder):
    launched = (sys.executable, "-c", LAUNCHER, RANKS, "sh", "-c", WORKER, "worker", "@RANK")
    done = run(folder, *record("-o", "run_%q{RANK}"), *launched)
    check(done.returncode == 0, done.stderr)
    for rank in range(RANKS):
        check_rank(folder, "run", rank, (rank, RANKS, rank))
    check("sleep" not in sleeps(folder / "run_launcher.sqlite"), "workers' calls in the launcher's profile")
    check(not ranks_in(folder / "run_launcher.sqlite"), "the launcher has no rank")
    check(len(list(folder.glob("run_*"))) == RANKS + 1, sorted(p.name for p in folder.iterdir()))
    whole = run(folder, *record("-o", "whole"), *launched)
    check(whole.returncode == 0 and sleeps(folder / "whole.sqlite")["sleep"] == sum(range(RANKS + 1)), whole.stderr)
    check(ranks_in(folder / "whole.sqlite") == {(r, RANKS, r) for r in range(RANKS)}, "all ranks")
    check("rank" not in run(folder, SONDE, "summary", "whole.sqlite").stdout.splitlines()[0], "a profile of several ranks")


def recorders_under_a_launcher(folder):
    done = run(folder, sys.executable, "-c", LAUNCHER, RANKS, *record("-o", "each_%q{RANK}"), "sh", "-c", WORKER, "w", "@RANK")
    check(done.returncode == 0, done.stderr)
    for rank in range(RANKS):
        check_rank(folder, "each", rank, (rank, RANKS, rank))


def other_launchers(folder):
    ompi = dict(OMPI_COMM_WORLD_RANK=1, OMPI_COMM_WORLD_SIZE=8, OMPI_COMM_WORLD_LOCAL_RANK=0)
    slurm = dict(SLURM_PROCID=1, SLURM_STEP_NUM_TASKS=16, SLURM_LOCALID=2)
    cases = {
        "ompi": (ompi, {(1, 8, 0)}),
        "srun": (slurm | {"SLURM_STEP_ID": 0}, {(1, 16, 2)}),
        "batch": (slurm, set()),  # a batch script has SLURM_PROCID too, but no step
        "hydra": (dict(PMI_RANK=1, PMI_SIZE=2), {(1, 2, None)}),
        "torch_in_slurm": (slurm | dict(SLURM_STEP_ID=0, RANK=1, WORLD_SIZE=32, LOCAL_RANK=3), {(1, 32, 3)}),
        "no_rank": (dict(RANK="first", WORLD_SIZE=2), set()),
        "alone": (dict(RANK=1), set()),  # some other program's variable
    }
    for name, (variables, expected) in cases.items():
        done = run(folder, *record("-o", name), "sleep", "0.01", **variables)
        check(done.returncode == 0 and ranks_in(folder / f"{name}.sqlite") == expected, (name, done.stderr))
    refused = run(folder, *record("-o", "x_%q{NO_SUCH}"), "true")
    check(refused.returncode == 2 and "no variable NO_SUCH" in refused.stderr, refused.stderr)


def ended_by_the_launcher(folder):
    """A worker that fails has the launcher end the others by SIGTERM: what they did until then is in their profiles."""
    worker = 'if [ $1 = 2 ]; then sleep 0.5; exit 3; fi; i=0; while :; do sleep 0.01; i=$((i+1)); done'
    began = time.monotonic()
    done = run(folder, sys.executable, "-c", LAUNCHER, RANKS, *record("-o", "ended_%q{RANK}"), "sh", "-c", worker, "w", "@RANK")
    check(time.monotonic() - began < 20, "the others were ended")
    for rank in range(RANKS - 1):
        path = folder / f"ended_{rank}.sqlite"
        check(path.exists() and sleeps(path).get("sleep", 0) > 5, (rank, done.stderr))


def real_mpirun(folder):
    mpirun = shutil.which("mpirun")
    if mpirun is None:
        print("skipped: mpirun is not installed")
        return
    done = run(folder, mpirun, "--allow-run-as-root", "--oversubscribe", "-n", RANKS,
               *record("-o", "mpi_%q{OMPI_COMM_WORLD_RANK}"), "sh", "-c", WORKER.replace("$1", "$OMPI_COMM_WORLD_RANK"))
    check(done.returncode == 0, done.stderr)
    for rank in range(RANKS):
        check_rank(folder, "mpi", rank, (rank, RANKS, rank))


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        a_launcher_under_the_recorder(folder)
        recorders_under_a_launcher(folder)
        other_launchers(folder)
        ended_by_the_launcher(folder)
        real_mpirun(folder)
    print("ok")


if __name__ == "__main__":
    main()
