#!/usr/bin/env python3
"""Checks that `sonde why` finds the steps of programs whose loop is inside a range, is one kernel, is cut by the end of the
recording, or is followed by another loop, and finds the same problems in them as without that."""

import json
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "shared"))
import _planted

GAP = _planted.TRUTHS["gap"].finding
ITERATIONS = 20  # of `sonde synth` without --iterations
VALIDATIONS = 10  # src/synth/plants/several_loops.cc


def why(folder: Path, *plants: str) -> dict:
    profile = folder / "run.sqlite"
    options = [word for plant in plants for word in ("--plant", plant)]
    _planted.run("synth", "--program", "tuned", *options, "-o", str(profile), "--force-overwrite")
    return json.loads(_planted.run("why", "--json", str(profile)))


def findings(document: dict) -> set[str]:
    return {finding["id"] for finding in document["findings"]}


def check_steps(document: dict, name: str, expected: str, recorded: range) -> list[str]:
    steps = document["steps"]
    if steps and expected in steps["range"] and steps["recorded"] in recorded:
        return []
    return [f"{name}: steps {steps}, expected {recorded} x '{expected}'"]


def ceiling(document: dict) -> int | None:
    return document["findings"][0]["ceiling_ns"] if findings(document) == {GAP} else None


def check_gap(folder: Path, shape: str, alone: int) -> list[str]:
    """The ceiling is that of the same steps without the other loop or range."""
    document = why(folder, "gap", shape)
    wrong = check_steps(document, f"{shape} + gap", "iteration", range(ITERATIONS, ITERATIONS + 1))
    if ceiling(document) != alone:
        wrong.append(f"{shape} + gap: {findings(document)} of {ceiling(document)} ns, alone {alone} ns")
    return wrong


def check_several_loops(folder: Path) -> list[str]:
    parts = why(folder, "several_loops")["other_parts"]
    if len(parts) != 1:
        return [f"several_loops: {len(parts)} other parts"]
    return check_steps(parts[0], "several_loops", "validate", range(VALIDATIONS, VALIDATIONS + 1))


def main() -> int:
    wrong = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        alone = ceiling(why(folder, "gap"))
        for shape in ("nested", "several_loops"):
            document = why(folder, shape)
            wrong += check_steps(document, shape, "iteration", range(ITERATIONS, ITERATIONS + 1))
            if findings(document):
                wrong.append(f"{shape}: {findings(document)}")
            wrong += check_gap(folder, shape, alone)
        wrong += check_several_loops(folder)
        wrong += check_steps(why(folder, "single_kernel"), "single_kernel", "launch of ", range(ITERATIONS - 1, ITERATIONS + 1))
        cut = why(folder, "cut_window", "gap")
        wrong += check_steps(cut, "cut_window", "iteration", range(ITERATIONS // 2, ITERATIONS))
        if findings(cut) != {GAP}:
            wrong.append(f"cut_window + gap: {findings(cut)}")
    print("\n".join(wrong))
    return 1 if wrong else 0


sys.exit(main())
