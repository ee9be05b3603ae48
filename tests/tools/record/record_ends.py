#!/usr/bin/env python3
"""What `sonde record` says of a program that is not there, or that a signal ended, and of signals that it sends itself."""

import os
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "shared"))
from _cuda import environment
from _recorded import PATIENCE_S, SONDE, Recorded, check, record
from _session import Stepped, sonde

NVTX = ["-t", "nvtx"]


def ending_by(number):
    return ["python3", "-c", f"import os, time; os.kill(os.getpid(), {int(number)}); time.sleep(60)"]


def crashes(folder):
    """Stand on the terminal, once, and in the profile."""
    for number, name in ((signal.SIGSEGV, "SIGSEGV (11)"), (signal.SIGABRT, "SIGABRT (6)"), (signal.SIGKILL, "SIGKILL (9)"),
                         (signal.SIGTERM, "SIGTERM (15)"), (signal.SIGRTMAX, "signal 64 (64)")):
        path = folder / f"by_{int(number)}.sqlite"
        run = record(path, *ending_by(number), options=NVTX)
        text = f"the program was terminated by {name}"
        check(run.returncode == 128 + number and run.stderr.count(f"sonde: warning: {text}\n") == 1, run.stderr)
        recorded = Recorded(path)
        check(recorded.remarks().count(text) == 1, recorded.remarks())
        check(recorded.rows("SELECT severity FROM DIAGNOSTIC_EVENT WHERE text = ?", text) == [(2,)], "a warning")
    run = record(folder / "well.sqlite", "true", options=NVTX)
    check("was terminated by" not in run.stderr, run.stderr)


def crash_without_a_profile(folder):
    """Of a profile that was made before, or of none, there is the terminal alone."""
    run = record(folder / "none.sqlite", *ending_by(signal.SIGSEGV), options=[*NVTX, "-c", "nvtx", "-p", "a"])
    check(run.stderr.count("the program was terminated by SIGSEGV (11)") == 1, run.stderr)
    check("no profile was written" in run.stderr, run.stderr)
    run = record(folder / "delay.sqlite", *ending_by(signal.SIGSEGV), options=[*NVTX, "-y", "60"])
    check(run.stderr.count("the program was terminated by SIGSEGV (11)") == 1, run.stderr)


def signals_passed_on(folder):
    """Who sends the recorder a signal, or types Ctrl-C, knows of it."""
    for number in (signal.SIGTERM, signal.SIGHUP):
        program = Stepped(folder, "record", "-f", "-o", "passed", *NVTX)
        program.process.send_signal(number)
        program.process.wait(PATIENCE_S)  # and only then is its input closed, which ends the program too
        code, errors = program.end()
        check(code == 128 + number and "was terminated by" not in errors, (code, errors))
    program = subprocess.Popen([SONDE, "record", "-o", str(folder / "typed"), *NVTX, "--", "python3", "-c",
                                "import signal, time; signal.signal(2, signal.SIG_DFL); print(1, flush=True); time.sleep(60)"],
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True)
    program.stdout.readline()
    os.killpg(program.pid, signal.SIGINT)
    _, errors = program.communicate(timeout=PATIENCE_S)
    check(program.returncode == 128 + signal.SIGINT and "was terminated by" not in errors, (program.returncode, errors))


def what_was_asked_for(folder):
    for traces, names in (("nvtx", "NVTX"), ("cuda", "CUDA"), ("cuda,nvtx", "CUDA, NVTX")):
        run = record(folder / "asked.sqlite", "true", options=["-f", "--self-test=false", "-t", traces])
        check(f"no process used {names};" in run.stderr, run.stderr)


def signals_at_the_end(folder):
    """Those that the recorder sends are told with why, and are no crash."""
    told = "--duration is over: sent SIGTERM to the program"
    run = record(folder / "timed.sqlite", "sleep", "60", options=[*NVTX, "-d", "0.05"])
    check(run.returncode == 128 + signal.SIGTERM and run.stderr.count(f"sonde: {told}\n") == 1, run.stderr)
    check("was terminated by" not in run.stderr and told in Recorded(folder / "timed.sqlite").remarks(), run.stderr)
    program = Stepped(folder, "launch", *NVTX)
    sonde(folder, "start", "-o", "started", "-d", "0.05", "--kill", "sigkill")
    program.process.wait(PATIENCE_S)
    code, errors = program.end()
    check(code == 128 + signal.SIGKILL and "sonde: --duration is over: sent SIGKILL to the program\n" in errors, errors)
    program = Stepped(folder, "record", *NVTX, "-o", "range", "-c", "nvtx", "-p", "step", "--kill", "sigterm")
    program.step("1 step")
    program.process.wait(PATIENCE_S)
    code, errors = program.end()
    check(code == 128 + signal.SIGTERM and "sonde: the capture range is over: sent SIGTERM to the program\n" in errors, errors)
    run = record(folder / "left.sqlite", "true", options=[*NVTX, "-d", "0.2", "-x", "false"])
    check(run.returncode == 0 and "to the program" not in run.stderr, run.stderr)


def not_there(folder):
    """Is said before anything else runs, as the self-test."""
    def said(*words, **variables):
        run = subprocess.run([SONDE, *map(str, words)], capture_output=True, text=True, timeout=PATIENCE_S, check=False,
                             cwd=folder, env=environment() | variables)
        return run.returncode, run.stderr
    (folder / "here").write_text("#!/bin/sh\n")
    refused = (1, "sonde: cannot run nosuchprog: no directory in PATH contains a program with this name\n")
    for words in (["record"], ["record", "--dry-run"], ["launch"], ["study"]):
        check(said(*words, "--", "nosuchprog") == refused, (words, said(*words, "--", "nosuchprog")))
    for word, why in (("./here", "it is not executable"), (folder, "it is a directory"), ("", "no directory in PATH"),
                      ("./gone", "No such file")):
        code, errors = said("record", "--dry-run", "--", word)
        check(code == 1 and f"cannot run {word}: {why}" in errors, (word, code, errors))
    (folder / "here").chmod(0o755)
    dry = ["record", "--dry-run", "-t", "none"]
    check(said(*dry, "--", "here", PATH=f"/usr/bin:{folder}") == (0, ""), "a later folder of PATH")
    check(said(*dry, "-e", f"PATH={folder}", "--", "here") == (0, ""), "the PATH that the program gets")
    check(said(*dry, "--", "here", PATH="") == (0, ""), "an empty PATH is this folder")
    check(said(*dry, "--", "./here") == (0, ""), "a path")
    check(sorted(path.name for path in folder.iterdir()) == ["here"], "nothing is left behind")


def session_that_is_over(folder):
    """Start and stop refuse alike."""
    program = Stepped(folder, "record", "--self-test=false", "-t", "cuda,nvtx", "-o", "over")
    sonde(folder, "stop")
    for verb in ("start", "stop"):
        said = sonde(folder, verb, code=1)
        check("the session is shut down; its program is no longer recorded" in said, (verb, said))
    check(program.end()[0] == 5, "the program")


def left_processes(folder):
    """What the program leaves behind is named."""
    run = record(folder / "left.sqlite", "sh", "-c", "sleep 60 >/dev/null 2>&1 & echo $!; sleep 0.5", options=["-t", "osrt"])
    left = int(run.stdout)
    check(f"processes that it started still run: {left} (sleep)" in run.stderr, run.stderr)
    os.kill(left, signal.SIGKILL)
    run = record(folder / "none_left.sqlite", "sh", "-c", "sleep 0.1", options=["-t", "osrt"])
    check("still run" not in run.stderr, run.stderr)


def main():
    for part in (crashes, crash_without_a_profile, signals_passed_on, what_was_asked_for, signals_at_the_end,
                 not_there, session_that_is_over, left_processes):
        with tempfile.TemporaryDirectory() as name:
            part(Path(name))
            print(f"{part.__name__}: ok", flush=True)


if __name__ == "__main__":
    main()
