#!/usr/bin/env python3
"""Runs golden tests: a small input, a command, and its exact output.

A case is a folder tests/golden/<command>/<name>/ with

    command     a shell line; `sonde` is the built program; it runs in a copy of the folder
    stdout      the expected standard output
    stderr      the expected standard error; without this file, nothing
    exit        the expected exit status; without this file, 0
    NAME.sql    becomes NAME.sqlite before the command runs; a line `.read FILE` includes another SQL file, as in the
                sqlite3 shell, relative to the file that contains the line
    NAME.ncu.json  becomes NAME.ncu-rep (tests/reference/ncu_report.py); {"take": FILE} includes another description
    NAME.pickle.json  becomes NAME.pickle, as Python's pickle writes it (a memory snapshot of PyTorch)
    NAME.from   becomes NAME, a copy of the file that it names, relative to itself

The command finds the stand-in for NVIDIA's management library as $FAKE_NVML (tests/fakes/nvml).

    tests/golden/run.py [--program PATH] [--update] [CASE...]      without CASE: all

--update writes the output of the command into the case; read the difference before you commit it.
"""

import argparse
import difflib
import json
import os
import pickle
import re
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "reference"))
import ncu_report  # noqa: E402

PROGRAM = HERE.parent.parent / "build/release/sonde"
EXPECTATIONS = ("stdout", "stderr", "exit")
SECONDS = 60
READ_LINE = re.compile(r"^\.read (.+)$", re.MULTILINE)


def sql_of(path: Path) -> str:
    text = path.read_text(encoding="utf-8")
    return READ_LINE.sub(lambda line: sql_of(path.parent / line.group(1).strip()), text)


def description_of(path: Path) -> dict:
    description = json.loads(path.read_text(encoding="utf-8"))
    taken = description.pop("take", None)
    return (description_of(path.parent / taken) if taken else {}) | description


def prepare(case: Path, work: Path) -> None:
    """Copies the inputs of the case and makes its databases and reports."""
    sources = ("*.sql", "*.ncu.json", "*.pickle.json", "*.from")
    shutil.copytree(case, work, ignore=shutil.ignore_patterns("command", *EXPECTATIONS, *sources))
    for source in sorted(case.glob("*.ncu.json")):
        report = ncu_report.report(description_of(source), source.parent)
        (work / source.name.replace(".ncu.json", ".ncu-rep")).write_bytes(report)
    for source in case.glob("*.pickle.json"):
        data = json.loads(source.read_text(encoding="utf-8"))
        (work / source.name.removesuffix(".json")).write_bytes(pickle.dumps(data, protocol=4))
    for link in case.glob("*.from"):
        shutil.copy(link.parent / link.read_text(encoding="utf-8").strip(), work / link.stem)
    for script in sorted(case.glob("*.sql")):
        database = sqlite3.connect(work / f"{script.stem}.sqlite")
        database.executescript(sql_of(script))
        database.close()


def run(case: Path, program: Path) -> dict[str, str]:
    """What the command of the case gives: the text of each expectation file."""
    with tempfile.TemporaryDirectory() as folder:
        work, programs = Path(folder) / "case", Path(folder) / "programs"
        prepare(case, work)
        programs.mkdir()
        (Path(folder) / "sessions").mkdir(mode=0o700)
        (programs / "sonde").symlink_to(program)
        command = (case / "command").read_text(encoding="utf-8")
        environment = {k: v for k, v in os.environ.items() if not k.startswith(("SONDE", "LC_", "LANG"))}
        environment |= {"PATH": f"{programs}:{os.environ['PATH']}", "HOME": str(work), "LC_ALL": "C.UTF-8", "TZ": "UTC"}
        environment["XDG_RUNTIME_DIR"] = str(Path(folder) / "sessions")  # what others record meanwhile is not its own
        environment["FAKE_NVML"] = str(program.parent / "tests/fake_nvml/libnvidia-ml.so.1")
        result = subprocess.run(
            ["bash", "-c", command], cwd=work, env=environment, stdin=subprocess.DEVNULL, capture_output=True,
            timeout=SECONDS,
        )  # fmt: skip
    # Bytes that are not UTF-8 are kept as they are: a test of bad input may print them.
    printed = {name: getattr(result, name).decode("utf-8", "surrogateescape") for name in ("stdout", "stderr")}
    return printed | {"exit": f"{result.returncode}\n"}


def expected(case: Path) -> dict[str, str]:
    texts = {"stdout": "", "stderr": "", "exit": "0\n"}
    for name in EXPECTATIONS:
        if (case / name).exists():
            texts[name] = (case / name).read_bytes().decode("utf-8", "surrogateescape")
    return texts


def update(case: Path, actual: dict[str, str]) -> None:
    for name, default in (("stdout", None), ("stderr", ""), ("exit", "0\n")):
        if actual[name] != default:
            (case / name).write_bytes(actual[name].encode("utf-8", "surrogateescape"))
        else:
            (case / name).unlink(missing_ok=True)


def differences(case: Path, actual: dict[str, str]) -> str:
    """A unified diff of all that differs, empty where nothing does."""
    parts = []
    wanted = expected(case)
    for name in EXPECTATIONS:
        if wanted[name].strip() == actual[name].strip() and name == "exit":
            continue
        for line in difflib.unified_diff(
            wanted[name].splitlines(keepends=True), actual[name].splitlines(keepends=True),
            f"expected {name}", f"actual {name}",
        ):  # fmt: skip
            parts.append(line if line.endswith("\n") else line + "\n\\ no newline at the end\n")
    return "".join(parts)


def check(case: Path, program: Path) -> bool:
    try:
        actual = run(case, program)
    except subprocess.TimeoutExpired:
        print(f"FAILED {case}: still running after {SECONDS} s")
        return False
    difference = differences(case, actual)
    if difference:
        command = (case / "command").read_text(encoding="utf-8").strip()
        print(f"FAILED {case}\n$ {command}\n{difference}", end="")
        print(f"If this is right now: tests/golden/run.py --update {os.path.relpath(case, HERE.parent.parent)}")
    return not difference


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--program", type=Path, default=PROGRAM, help="the program under test (build/release/sonde)")
    options.add_argument("--update", action="store_true", help="write what is printed as what is expected")
    options.add_argument("case", nargs="*", type=Path)
    chosen = options.parse_args()

    program = chosen.program.resolve()
    if not program.exists():
        sys.exit(f"{program} is not built; ./dev build does it")
    cases = [c.resolve() for c in chosen.case] or sorted(c.parent for c in HERE.glob("*/*/command"))
    for case in cases:
        if not (case / "command").exists():
            sys.exit(f"{case} is not a golden test: it has no file 'command'")
    sys.stdout.reconfigure(errors="surrogateescape")
    if chosen.update:
        for case in cases:
            update(case, run(case, program))
        return 0
    failures = [case for case in cases if not check(case, program)]
    print(f"{len(cases) - len(failures)} of {len(cases)} golden tests passed")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
