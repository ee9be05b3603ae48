"""Drives recorders by the session commands: launch, start, stop and the others."""

import os
import subprocess
import time
from pathlib import Path

from _recorded import PATIENCE_S, SONDE, TOOLS, check

STEPPED = TOOLS / "stepped_program"


def sonde(folder, *words, code=0):
    """Runs a command with sessions in `folder`; gives what it said."""
    run = subprocess.run([SONDE, *map(str, words)], capture_output=True, text=True, timeout=PATIENCE_S, check=False,
                         env=environment(folder), cwd=folder)
    check(run.returncode == code, (words, run.returncode, run.stdout, run.stderr))
    return run.stdout + run.stderr


def environment(folder):
    return os.environ | {"XDG_RUNTIME_DIR": str(folder)}


class Stepped:
    """stepped_program under `sonde launch`, or `sonde record` with options."""

    def __init__(self, folder, *words, program=(STEPPED,)):
        self.process = subprocess.Popen([SONDE, *map(str, words), "--", *map(str, program)], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=folder,
                                        env=environment(folder))
        line = self.process.stdout.readline()
        check(line == "ready\n", (line, words))

    def step(self, line):
        self.process.stdin.write(f"{line}\n")
        self.process.stdin.flush()
        check(self.process.stdout.readline() == "done\n", line)

    def end(self):
        """The exit code, and what the recorder said."""
        _, errors = self.process.communicate(timeout=PATIENCE_S)
        return self.process.returncode, errors


def wait_until(condition, what):
    end = time.monotonic() + PATIENCE_S
    while not condition():
        check(time.monotonic() < end, f"waited for {what}")
        time.sleep(0.005)


def sockets(folder):
    return sorted(path.name for path in Path(folder).glob("sonde/*.sock"))
