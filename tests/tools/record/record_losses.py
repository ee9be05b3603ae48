#!/usr/bin/env python3
"""What `sonde record` cannot keep it counts: a recorder that does not come round, a disk that fills, texts that are too
long. The program notices none of it."""

import re
import resource
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "shared"))
from _recorded import PATIENCE_S, PROGRAM, SONDE, Recorded, check, record

PAIRS = 600_000  # more than fits into the memory that the programs share with the recorder


class Stepped:
    """A recorded shell that runs one command of ours after the other, each when the one before has ended."""

    def __init__(self, output):
        script = 'while read -r line; do eval "$line"; echo "ended $?"; done'
        self.process = subprocess.Popen([SONDE, "record", "-t", "nvtx,osrt", "-o", output, "--", "sh", "-c", script],
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def run(self, command):
        self.process.stdin.write(f"{command}\n")
        self.process.stdin.flush()
        check(self.process.stdout.readline() == "ended 0\n", command)

    def end(self):
        """The exit code, and what the recorder said."""
        _, errors = self.process.communicate(timeout=PATIENCE_S)
        return self.process.returncode, errors


def is_stopped(process):
    return Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()[0] == "T"


def wait_for_sweeps(process):
    """The recorder sleeps between its looks at the memory: three sleeps have two looks between them."""
    sleeps = lambda: int(Path(f"/proc/{process}/status").read_text().split("voluntary_ctxt_switches:")[1].split()[0])
    began, end = sleeps(), time.monotonic() + PATIENCE_S
    while sleeps() < began + 3 and time.monotonic() < end:
        time.sleep(0.001)


def stalled(folder):
    path = folder / "stalled.sqlite"
    shell = Stepped(path)
    shell.run(f"{PROGRAM} nested 10")
    shell.process.send_signal(signal.SIGSTOP)
    while not is_stopped(shell.process.pid):
        time.sleep(0.001)
    shell.run(f"{PROGRAM} nested {PAIRS // 2}")
    shell.process.send_signal(signal.SIGCONT)
    code, errors = shell.end()
    check(code == 0, errors)
    recorded = Recorded(path)
    dropped = int(re.search(r"buffers were full: (\d+)", errors)[1])
    records = int(re.search(r"for all (\d+)", errors)[1])
    # Each program tells of itself once; calls of the shell and its programs are rows of their own.
    ((calls,),) = recorded.rows("SELECT count(*) FROM OSRT_API")
    others = calls + len(recorded.rows("SELECT * FROM PROCESSES"))
    check(records + dropped >= 2 * (PAIRS + 20) and records - others <= 2 * (PAIRS + 20), (records, dropped, others))
    check(dropped > 0 and any("dropped" in text for text in recorded.remarks()), "what was dropped")


def disk_full(folder):
    """A limit on the size of the recorder's files is a disk that is full: for a while, and to the end."""
    path = folder / "full.sqlite"
    shell = Stepped(path)
    shell.run(f"{PROGRAM} nested 1000")
    wait_for_sweeps(shell.process.pid)
    before = resource.prlimit(shell.process.pid, resource.RLIMIT_FSIZE, (100_000, resource.RLIM_INFINITY))
    shell.run(f"{PROGRAM} nested 20000")
    wait_for_sweeps(shell.process.pid)
    resource.prlimit(shell.process.pid, resource.RLIMIT_FSIZE, before)
    code, errors = shell.end()
    check(code == 0 and "bytes of events were lost because writing to disk failed: File too large" in errors, errors)
    counts = Recorded(path).counts()
    check(1000 <= counts["outer"] < 21000, counts)

    path = folder / "no_room.sqlite"
    shell = Stepped(path)
    shell.run(f"{PROGRAM} nested 1000")
    resource.prlimit(shell.process.pid, resource.RLIMIT_FSIZE, (1000, 1000))
    shell.run(f"{PROGRAM} nested 1000")
    code, errors = shell.end()
    check(code == 1 and "no profile was written" in errors and not path.exists(), (code, errors))
    (kept,) = folder.glob("no_room.sqlite.recording*")
    check(str(kept) in errors, errors)


def long_texts(folder):
    path = folder / "long.sqlite"
    run = record(path, PROGRAM, "long")
    check("strings truncated to 4096 bytes: 2" in run.stderr, run.stderr)
    lengths = sorted(len(text.encode()) for (text,) in Recorded(path).rows("SELECT text FROM NVTX_EVENTS WHERE eventType = 59"))
    check(lengths == [4094, 4096], lengths)  # the wide one ends with a whole character


def memory(folder):
    """Half a million ranges a second: what the program and the recorder take beyond the program alone."""
    words = [str(PROGRAM.parent / "cost_program"), "rate", "1000000"]
    alone = int(subprocess.run(words, check=True, input="\n", capture_output=True, text=True).stdout)
    run = subprocess.Popen([SONDE, "record", "-t", "nvtx", "-o", folder / "rate.sqlite", "--", *words],
                           stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    program = int(run.stdout.readline()) - alone
    recorder = int(Path(f"/proc/{run.pid}/status").read_text().split("VmHWM:")[1].split()[0])
    _, errors = run.communicate("\n", timeout=PATIENCE_S)
    check(program + recorder <= 64 * 1024, f"program {program} kB, recorder {recorder} kB")
    check(run.returncode == 0, errors)


def short_programs(folder):
    """More processes than there is room for at once, each with an event, one behind the other."""
    path = folder / "short.sqlite"
    script = "i=0; while [ $i -lt 3500 ]; do (:); i=$((i + 1)); done"
    run = record(path, "sh", "-c", script, options=["--osrt-threshold", "0"])
    check(run.returncode == 0 and "dropped" not in run.stderr, run.stderr)


def main():
    with tempfile.TemporaryDirectory() as name:
        for part in (stalled, disk_full, long_texts, memory, short_programs):
            part(Path(name))
            print(f"{part.__name__}: ok", flush=True)


if __name__ == "__main__":
    main()
