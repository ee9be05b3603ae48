#!/usr/bin/env python3
"""Tests `sonde top` in a terminal of its own: it draws, accepts keys, follows the terminal's size and leaves the
terminal unchanged. `--batch` prints the same without a terminal."""

import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import tempfile
import termios
import time
from pathlib import Path

SONDE = os.environ["SONDE"]
HOST = """version: 1
gpus:
  - name: Simulated H100 80GB
    load: [{at: 0 s, utilization: 98 %, memory: 60 GiB, pid: 4242, process: train}]
  - name: Simulated A100 40GB
    memory: 40 GiB
    load: [{at: 0 s, utilization: 30 %, memory: 4 GiB, pid: 4243, process: serve}]
    faults: [{at: 0 s, lost: true}]
"""
PATIENCE_S = 30
MOVES = re.compile(rb"\x1b\[[0-9;?]*[ -/]*[@-~]|\x1b[()][0-9A-B]|\x1b[=>78M]|\x0f")


class Terminal:
    """A program behind a terminal; `seen` is what it wrote since the last look, without what moves the cursor."""

    def __init__(self, width, height, *words):
        self.pid, self.file = pty.fork()
        if self.pid == 0:
            os.environ |= {"TERM": "xterm-256color", "LC_ALL": "C.UTF-8"}
            os.execv(words[0], words)
        self.resize(width, height)

    def resize(self, width, height):
        fcntl.ioctl(self.file, termios.TIOCSWINSZ, struct.pack("HHHH", height, width, 0, 0))

    def read(self):
        try:
            return os.read(self.file, 65536) if select.select([self.file], [], [], 0.2)[0] else b""
        except OSError:
            return None

    def until(self, text):
        """Reads until the program has drawn a text, or the patience is over."""
        seen = b""
        end = time.monotonic() + PATIENCE_S
        while time.monotonic() < end:
            part = self.read()
            if part is None:
                break
            seen += part
            if text in MOVES.sub(b"", seen).decode(errors="replace"):
                return True
        print(f"'{text}' was not drawn, but:\n{MOVES.sub(b' ', seen).decode(errors='replace')}")
        return False

    def press(self, keys):
        os.write(self.file, keys.encode())

    def end(self):
        """The exit status, and all that was written at the end."""
        last = b""
        while (part := self.read()) is not None:
            last += part
            if not part and os.waitpid(self.pid, os.WNOHANG) != (0, 0):
                return 0, last
        return os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1]), last


def checks(host):
    terminal = Terminal(100, 24, SONDE, "top", "-d", "0.1", "--simulated", host)
    yield "it draws GPUs", terminal.until("gpu_0 Simulated H100 80GB")
    terminal.press("h")
    yield "h helps", terminal.until("sort processes by memory, GPU, PID")
    terminal.press("h/zzz\r")
    yield "/ filters", terminal.until("none fits the filter")
    terminal.press("\x1b")
    yield "Esc takes the filter away", terminal.until("4242 -          C")
    os.kill(terminal.pid, signal.SIGWINCH)
    terminal.resize(60, 12)
    terminal.press("s")
    yield "it follows the terminal's size", terminal.until("GPU")
    terminal.press("q")
    status, last = terminal.end()
    yield "q ends it well", status == 0
    yield "the terminal is as it was", b"\x1b[?1049l" in last


def batch_checks(host):
    plain = subprocess.run([SONDE, "top", "--batch", "--simulated", host], capture_output=True, text=True, check=False)
    yield "--batch prints the GPUs", plain.returncode == 0 and "60.0/80.0 GiB" in plain.stdout and "LOST" in plain.stdout
    yield "--batch says that they are simulated", "SIMULATED" in plain.stdout
    twice = subprocess.run(
        [SONDE, "top", "-b", "-n", "2", "-d", "0.1", "--simulated", host], capture_output=True, text=True, check=False
    )
    yield "-n 2 looks twice", twice.stdout.count("sonde top") == 2
    piped = subprocess.run([SONDE, "top", "--simulated", host], capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False)
    yield "without a terminal it says what to do", piped.returncode == 1 and "--batch" in piped.stderr


def main():
    with tempfile.TemporaryDirectory() as folder:
        host = Path(folder) / "host.yaml"
        host.write_text(HOST, encoding="utf-8")
        wrong = [what for look in (batch_checks, checks) for what, holds in look(str(host)) if not holds]
    print("\n".join(f"not so: {what}" for what in wrong) or "sonde top draws, takes keys and leaves the terminal as it was")
    sys.exit(bool(wrong))


main()
