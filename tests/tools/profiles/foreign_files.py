#!/usr/bin/env python3
"""Every command that reads profiles answers, or fails with one sentence, on files that are something else: tests/foreign.

    foreign_files.py [NAME...]      without NAME: all
"""

import os
import pathlib
import re
import sqlite3
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve()
FOREIGN = HERE.parents[2] / "foreign"
PROGRAM = os.environ.get("SONDE", str(HERE.parents[3] / "build/release/sonde"))
SECONDS = int(os.environ.get("SONDE_FOREIGN_SECONDS", "20"))
LAST_EXIT = 4  # of `sonde why`: see its help
COMMANDS = {
    "info": ["info", "{}"],
    "summary": ["summary", "{}"],
    "why": ["why", "{}"],
    "stats": ["stats", "{}"],
    "modules": ["modules", "{}"],
    "kernels": ["kernels", "{}"],
    "kernel": ["kernel", "{}"],
    "compare": ["compare", "--base", "{}", "--new", "{}"],
    "report": ["report", "{}", "-o", "{}.html"],
    "convert": ["convert", "{}", "{}.converted.sqlite"],
}


def make(folder):
    """The files of tests/foreign, and their paths."""
    paths = []
    for source in sorted(FOREIGN.iterdir()):
        if source.suffix == ".sql":
            path = folder / f"{source.stem}.sqlite"
            database = sqlite3.connect(path)
            database.executescript(source.read_text(encoding="utf-8"))
            database.close()
        elif source.suffix == ".hex":
            path = folder / source.stem
            path.write_bytes(bytes.fromhex(re.sub(r"#.*", "", source.read_text(encoding="utf-8"))))
        else:
            continue
        paths.append(path)
    return paths


def problem_of(command, path):
    """What is wrong with a command's answer; empty where nothing is."""
    words = [PROGRAM] + [word.format(path) for word in COMMANDS[command]]
    try:
        done = subprocess.run(words, capture_output=True, stdin=subprocess.DEVNULL, timeout=SECONDS)
    except subprocess.TimeoutExpired:
        return f"still running after {SECONDS} s"
    said = done.stderr.decode("utf-8", "replace").strip()
    if done.returncode < 0 or done.returncode > LAST_EXIT:
        return f"ended with {done.returncode}: {said[:300]}"
    if done.returncode != 0 and not done.stdout and not said.startswith("sonde: "):
        return f"failed without a sentence: {said[:300]!r}"
    return ""


def main():
    problems = runs = 0
    with tempfile.TemporaryDirectory() as folder:
        paths = [path for path in make(pathlib.Path(folder)) if not sys.argv[1:] or path.name in sys.argv[1:]]
        for path in paths:
            for command in COMMANDS:
                runs += 1
                problem = problem_of(command, path)
                if problem:
                    problems += 1
                    print(f"{command} {path.name}: {problem}")
    print(f"{runs} commands on {len(paths)} files, {problems} problems")
    sys.exit(1 if problems or not runs else 0)


if __name__ == "__main__":
    main()
