#!/usr/bin/env python3
"""Checks that `sonde why` finds the steps of programs whose loop is inside a range, is one kernel, is cut by the end of the
recording, or is followed by another loop, and finds the same problems in them as without that."""

import json
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "shared"))
import _planted

ITERATIONS = 20  # of `sonde synth` without --iterations
VALIDATIONS = 10  # src/synth/plants/several_loops.cc


def why(folder: Path, *plants: str) -> dict:
    profile = folder / "run.sqlite"
    options = [word for plant in plants for word in ("--plant", plant)]
    _planted.run("synth", "--program", "tuned", *options, "-o", str(profile), "--force-overwrite")
    return json.loads(_planted.run("why", "--json", str(profile)))


def findings(document: dict) -> set[str]:
    return {finding["id"] for finding in document["findings"]}


def cost(folder: Path, document: dict, plant: str) -> int:
    planted = json.loads((folder / "run.sqlite.planted.json").read_text())["plants"]
    return _planted.cost_of(document, next(row for row in planted if row["name"] == plant))


def check_steps(document: dict, name: str, expected: str, recorded: range) -> list[str]:
    steps = document["steps"]
    if steps and expected in steps["range"] and steps["recorded"] in recorded:
        return []
    return [f"{name}: steps {steps}, expected {recorded} x '{expected}'"]


def check_gap(folder: Path, shape: str) -> list[str]:
    document = why(folder, "gap", shape)
    wrong = check_steps(document, f"{shape} + gap", "iteration", range(ITERATIONS, ITERATIONS + 1))
    if findings(document) != {"gpu_idle_host"}:
        return [*wrong, f"{shape} + gap: {findings(document)}"]
    ratio = document["findings"][0]["ceiling_ns"] / cost(folder, document, "gap")
    least, most = _planted.EXACT
    return wrong if least <= ratio <= most else [*wrong, f"{shape} + gap: ceiling / cost {ratio:.2f}"]


def check_several_loops(folder: Path) -> list[str]:
    parts = why(folder, "several_loops")["other_parts"]
    if len(parts) != 1:
        return [f"several_loops: {len(parts)} other parts"]
    return check_steps(parts[0], "several_loops", "validate", range(VALIDATIONS, VALIDATIONS + 1))


def main() -> int:
    wrong = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for shape in ("nested", "several_loops"):
            document = why(folder, shape)
            wrong += check_steps(document, shape, "iteration", range(ITERATIONS, ITERATIONS + 1))
            if findings(document):
                wrong.append(f"{shape}: {findings(document)}")
            wrong += check_gap(folder, shape)
        wrong += check_several_loops(folder)
        wrong += check_steps(why(folder, "single_kernel"), "single_kernel", "launch of ", range(ITERATIONS - 1, ITERATIONS + 1))
        cut = why(folder, "cut_window", "gap")
        wrong += check_steps(cut, "cut_window", "iteration", range(ITERATIONS // 2, ITERATIONS))
        if findings(cut) != {"gpu_idle_host"}:
            wrong.append(f"cut_window + gap: {findings(cut)}")
    print("\n".join(wrong))
    return 1 if wrong else 0


sys.exit(main())
