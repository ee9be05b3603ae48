"""Makes profiles with planted problems, asks `sonde why`, and compares what it finds with what was planted."""

import json
import os
import statistics
import subprocess
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

PROGRAMS = ("inference", "training")
# Which finding a planted problem must lead to.
EXPECTED = {
    "gap": "gpu_idle_host",
    "pageable": "pageable_copy",
    "sync": "sync_in_loop",
    "tiny_kernels": "tiny_kernels",
}
# Problems that the programs have without any plant: their copies do wait, their short kernels do start late.
ALWAYS = {
    "exposed_copy",
    "gpu_idle_start",
    "gpu_idle_synchronization",
    "dominant_kernel",
}


@dataclass
class Row:
    """What came out for one plant in one program."""

    planted: int = 0
    found: int = 0
    first: int = 0
    ratios: list[float] = field(default_factory=list)


@dataclass
class Results:
    rows: dict[tuple[str, str], Row] = field(default_factory=dict)
    others: dict[str, int] = field(default_factory=dict)  # findings of plants that were not planted
    profiles: int = 0


def run(*arguments: str) -> str:
    command = [os.environ["SONDE"], *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def findings_of(
    folder: Path, program: str, plant: str | None, seed: int
) -> tuple[list[dict], float]:
    """The findings, the highest ceiling first, and the true cost per step."""
    profile = folder / "run.sqlite"
    plants = ["--plant", plant] if plant else []
    run(
        *("synth", "--program", program, "--seed", str(seed), *plants),
        *("-o", str(profile), "--force-overwrite"),
    )
    document = json.loads(run("why", "--json", str(profile)))
    if plant is None:
        return document["findings"], 0
    planted = json.loads(Path(f"{profile}.planted.json").read_text())
    return document["findings"], planted


def steady_cost(folder: Path, planted: dict) -> float:
    """Cost of the steps that `sonde why` judges: all but the slow ones at the beginning."""
    summary = json.loads(run("summary", "--json", str(folder / "run.sqlite")))
    warm_up = summary["warm_up"]
    steady = warm_up["iterations"] - warm_up["slow_iterations"]
    return planted["plants"][0]["step_cost_ns"] * steady


def judge(results: Results, folder: Path, program: str, plant: str | None, seed: int):
    findings, planted = findings_of(folder, program, plant, seed)
    results.profiles += 1
    wanted = EXPECTED.get(plant)
    for f in findings:
        if f["id"] in EXPECTED.values() and f["id"] != wanted:
            results.others[f["id"]] = results.others.get(f["id"], 0) + 1
        elif f["id"] not in ALWAYS and f["id"] != wanted:
            results.others[f["id"]] = results.others.get(f["id"], 0) + 1
    if plant is None:
        return
    row = results.rows.setdefault((program, plant), Row())
    row.planted += 1
    found = [f for f in findings if f["id"] == wanted]
    if not found:
        return
    row.found += 1
    row.first += findings[0]["id"] == wanted
    row.ratios.append(found[0]["ceiling_ns"] / steady_cost(folder, planted))


def measure(seeds: range) -> Results:
    results = Results()
    with tempfile.TemporaryDirectory() as folder:
        for seed in seeds:
            for program in PROGRAMS:
                for plant in (None, *EXPECTED):
                    judge(results, Path(folder), program, plant, seed)
    return results


def table(results: Results) -> str:
    lines = [
        "| program | planted | finding | found | first | ceiling / cost: median | least | most |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for (program, plant), row in sorted(results.rows.items()):
        ratios = row.ratios or [float("nan")]
        lines.append(
            f"| {program} | {plant} | {EXPECTED[plant]} | {row.found} of {row.planted} | {row.first} | "
            f"{statistics.median(ratios):.2f} | {min(ratios):.2f} | {max(ratios):.2f} |"
        )
    others = (
        ", ".join(f"{id} {count}" for id, count in sorted(results.others.items()))
        or "none"
    )
    lines.append(f"\nFindings of what was not planted, in {results.profiles} profiles: {others}")
    return "\n".join(lines)
