#!/usr/bin/env python3
"""No command crashes on an export that lacks a table or a column: each is taken out of a small export in turn."""

import concurrent.futures
import os
import pathlib
import re
import shutil
import sqlite3
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve()
INPUTS = HERE.parents[2] / "golden/inputs"
PROGRAM = os.environ.get("SONDE", str(HERE.parents[3] / "build/release/sonde"))
LAST_EXIT = 4  # of `sonde why`: see its help
COMMANDS = [["why"], ["summary"], ["stats"], ["modules"], ["kernels"], ["info"]]


def sql_of(path):
    text = path.read_text(encoding="utf-8")
    return re.sub(r"^\.read (.+)$", lambda line: sql_of(path.parent / line.group(1).strip()), text, flags=re.MULTILINE)


def changes(database):
    """SQL that takes one table or one column away."""
    for (table,) in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall():
        yield f'DROP TABLE "{table}"'
        for column in database.execute(f'PRAGMA table_info("{table}")').fetchall():
            yield f'ALTER TABLE "{table}" RENAME COLUMN "{column[1]}" TO "gone"'


def problems_of(whole, change, number):
    found = []
    path = whole.with_name(f"{number}.sqlite")
    shutil.copy(whole, path)
    database = sqlite3.connect(path)
    database.execute(change)
    database.commit()
    database.close()
    for command in COMMANDS:
        done = subprocess.run([PROGRAM, *command, path], capture_output=True, stdin=subprocess.DEVNULL, timeout=60)
        if done.returncode < 0 or done.returncode > LAST_EXIT:
            found.append(f"{command[0]} after {change}: ended with {done.returncode}")
    path.unlink()
    return found


def main():
    problems = []
    with tempfile.TemporaryDirectory() as folder:
        whole = pathlib.Path(folder) / "whole.sqlite"
        database = sqlite3.connect(whole)
        if len(sys.argv) > 1:
            sqlite3.connect(f"file:{sys.argv[1]}?immutable=1", uri=True).backup(database)
        else:
            database.executescript(sql_of(INPUTS / "mini.sql"))
        wanted = list(changes(database))
        database.close()
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            for found in pool.map(lambda item: problems_of(whole, item[1], item[0]), enumerate(wanted)):
                problems += found
    print(*problems, sep="\n")
    print(f"{len(wanted)} changes, {len(problems)} problems")
    sys.exit(1 if problems or not wanted else 0)


if __name__ == "__main__":
    main()
