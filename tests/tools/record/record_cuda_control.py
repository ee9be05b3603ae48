#!/usr/bin/env python3
"""Records a part of a program's GPU work, by time. Also covers programs that die or fork."""

import json
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "shared"))
from _cuda import ADD, PROGRAM, VERSIONS, Cuda, accounts, alone, environment, record
from _recorded import PATIENCE_S, SONDE, check


def forks(folder):
    """The child of a process that has used CUDA leaves CUPTI alone; its parent's records stay whole."""
    for version in VERSIONS:
        path = folder / f"forks{version}.sqlite"
        run = record(path, "forks", 3, version=version)
        (account,) = accounts(run)
        check(run.returncode == 0 and "in the child: 3" in run.stderr, (version, run.stderr))
        recorded = Cuda(path)
        check(recorded.kernels() == account["kernels"] and recorded.copies() == account["copies"],
              (version, recorded.kernels()))


def dies(folder):
    """What ended more than a second before the program died is there, and that more may be missing is said."""
    for mode, number in (("kill", signal.SIGKILL), ("abort", signal.SIGABRT)):
        for version in VERSIONS:
            path = folder / f"{mode}{version}.sqlite"
            run = record(path, mode, 20, version=version)
            (account,) = accounts(run)
            recorded = Cuda(path)
            check(run.returncode == 128 + number and alone(mode, 1).returncode == -number, (mode, run.returncode))
            check(recorded.kernels() == account["kernels"], (mode, version, recorded.kernels(), run.stderr))
            check(recorded.has_remark("1 process", "CUPTI may not have delivered"), recorded.remarks())
            check(recorded.copies() == account["copies"] and recorded.sets() == account["sets"], (mode, version))


def ended_by_time(folder):
    """What was launched while it was recorded has arrived, but for what the last moment left on its way."""
    path = folder / "duration.sqlite"
    run = record(path, "paced", 1_000_000, options=["-d", "2", "--kill=sigkill"])
    check(run.returncode == 128 + signal.SIGKILL, run.returncode)
    recorded = Cuda(path)
    launched, arrived = recorded.api()["cudaLaunchKernel_v7000"], sum(count for count, _ in recorded.kernels().values())
    check(launched > 0 and arrived <= launched and launched - arrived <= 2, f"{arrived} kernels of {launched} launches")


def part_by_time(folder):
    """The program goes on without CUPTI: it costs nothing any more."""
    path = folder / "later.sqlite"
    run = record(path, "plain", 2, options=["-y", "600"])
    check(run.returncode == 0 and not Cuda(path).kernels(), "what came before the delay was over")
    for version in VERSIONS:
        path = folder / f"part{version}.sqlite"
        finalize = ["--cuda-finalize"] if version != VERSIONS[0] else []
        run = record(path, "paced", 1500, version=version, options=["-y", "0.2", "-d", "0.4", "--kill=none", *finalize])
        (account,) = accounts(run)
        recorded = Cuda(path)
        check(run.returncode == 0 and account["kernels"][ADD][0] == 1500, (version, run.stderr))
        check(0 < recorded.kernels()[ADD][0] < 1500, (version, recorded.kernels()))
        check(account["is_listened"] == (0 if finalize else 1), f"{version}: whether CUPTI is still in the program")
        check("fake CUPTI" not in run.stderr, f"{version}: an order in which CUPTI cannot be taken out: {run.stderr}")
        ((early,),) = recorded.rows("SELECT count(*) FROM CUPTI_ACTIVITY_KIND_RUNTIME WHERE start < 0")
        check(early == 0, f"{version}: {early} calls before the recording")


def recorder_killed(folder):
    """The program goes on to its end as if nothing had been."""
    path = folder / "orphan.sqlite"
    script = f"read word; {PROGRAM} plain 20"
    recorder = subprocess.Popen([SONDE, "record", "--self-test=false", "-t", "cuda", "-o", path, "--", "sh", "-c", f"{script}; echo ended $?"],
                                stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
                                env=environment())
    while not Path(f"/proc/{recorder.pid}/task/{recorder.pid}/children").read_text().split():
        pass
    recorder.kill()
    output, _ = recorder.communicate("go\n", timeout=PATIENCE_S)
    check(output.endswith("ended 0\n") and '"kernels"' in output, output)


def same_program(folder):
    """Output and exit code are the program's."""
    for words in (["status", 7], ["plain", 1], ["memory", 2]):
        run = record(folder / f"same{words[0]}.sqlite", *words)
        check(run.returncode == alone(*words).returncode, (words, run.returncode))


def terminated(folder):
    """What CUPTI holds when somebody ends the recorder and its program, as torchrun and srun do, is fetched before."""
    path = folder / "terminated.sqlite"
    command = [SONDE, "record", "-t", "cuda", "--self-test=false", "--cuda-flush-interval=100000", "-o", path, "--", PROGRAM,
               "abort", "20"]
    with subprocess.Popen(list(map(str, command)), env=environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          text=True) as program:
        account = json.loads(program.stdout.readline())
        time.sleep(0.2)  # the last kernel of the account may still run
        program.send_signal(signal.SIGTERM)
        _, said = program.communicate(timeout=PATIENCE_S)
    check(program.returncode == 128 + signal.SIGTERM, (program.returncode, said))
    check(Cuda(path).kernels() == account["kernels"], (Cuda(path).kernels(), account, said))


def main():
    with tempfile.TemporaryDirectory() as name:
        for part in (forks, dies, ended_by_time, part_by_time, recorder_killed, same_program, terminated):
            print(f"{part.__name__}: {part(Path(name)) or 'ok'}", flush=True)


if __name__ == "__main__":
    main()
