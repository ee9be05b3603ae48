#!/usr/bin/env python3
"""What every command does with a terminal and a pipe: the width of its help, one way to ask for JSON, colours, and whole
lines where standard output and standard error are one file."""

import json
import os
import pty
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "shared"))
from _recorded import SONDE, check


def run(*words, **settings):
    return subprocess.run([SONDE, *map(str, words)], capture_output=True, text=True, check=False, **settings)


def on_terminal(*words, **environment):
    """Standard output of a command whose standard output is a terminal."""
    primary, secondary = pty.openpty()
    known = {name: value for name, value in os.environ.items() if name != "NO_COLOR"}
    with subprocess.Popen([SONDE, *map(str, words)], stdout=secondary, stderr=subprocess.DEVNULL,
                          env=known | environment) as process:
        os.close(secondary)
        written = b""
        while True:
            try:
                more = os.read(primary, 65536)
            except OSError:  # Linux's end of a terminal's file
                break
            if not more:
                break
            written += more
        process.wait()
    os.close(primary)
    return written.decode()


def option_of(row, name):
    return next((option for option in row["options"] if name in option["names"]), None)


def check_help(path):
    environment = {name: value for name, value in os.environ.items() if name != "COLUMNS"}
    by_option = run(*path, "--help", env=environment)
    check(by_option.returncode == 0, f"{path}: --help gives {by_option.returncode}")
    unbreakable = [line for line in by_option.stdout.splitlines() if len(line) > 80 and " " in line[30:80].strip()]
    check(not unbreakable, f"{path}: lines of over 80 characters in a pipe: {unbreakable}")
    by_command = run("help", *path, env=environment)
    check((by_command.returncode, by_command.stdout) == (0, by_option.stdout), f"sonde help {' '.join(path)} differs")


def main():
    commands = json.loads(run("--dump-commands").stdout)
    check(len(commands) > 40, f"only {len(commands)} commands")
    for row in commands:
        path = row["path"].split()
        check_help(path)
        form = option_of(row, "--format")
        if form and "json" in (form["description"] + str(form["choices"])):
            check(option_of(row, "--json") is not None, f"{path} has --format json and no --json")

    with tempfile.TemporaryDirectory() as folder:
        profile = Path(folder) / "run.sqlite"
        check(run("synth", "--program", "inference", "--plant", "redundant_sync", "--seed", "3", "-o", profile).returncode == 0,
              "synth")
        for words in (["why"], ["stats", "-r", "cuda_gpu_kern_sum"], ["modules"], ["kernels"], ["report"]):
            given = run(*words, "--json", profile)
            check(json.loads(given.stdout) == json.loads(run(*words, "--format", "json", profile).stdout), f"{words}: --json")

        coloured = on_terminal("why", profile)
        plain = run("why", profile).stdout
        check("\033[1m1. " in coloured, "no colours in why on a terminal")
        check("\033" not in plain, "colours in a pipe")
        check("\033" not in on_terminal("why", profile, NO_COLOR="1"), "NO_COLOR is ignored")
        check("\033[1;" in on_terminal("doctor"), "no colours in doctor")

        # Notes are written in the middle of the work: each stands on a line of its own.
        both = subprocess.run(f"'{SONDE}' modules --depth 9 '{profile}' 2>&1 | cat", shell=True, capture_output=True, text=True,
                              check=True).stdout
        apart = run("modules", "--depth", "9", profile)
        check(sorted(both.splitlines()) == sorted((apart.stdout + apart.stderr).splitlines()), "torn lines")
        check(apart.stderr != "", "modules said nothing beside its table")
    print("help, JSON, colours and lines are as they should be")


if __name__ == "__main__":
    main()
