"""Makes profiles with planted problems, asks `sonde why`, and compares what it finds with what was planted."""

import json
import os
import random
import statistics
import subprocess
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

# Within these of the time that goes away when the program runs without the problem.
EXACT = (0.9, 1.1)
# For advice whose gain the trace cannot fix: never below the true gain, at most twice it.
BOUND = (1.0, 2.0)


@dataclass(frozen=True)
class Truth:
    """What a planted problem must lead to."""

    finding: str
    within: tuple[float, float] | None = EXACT  # ceiling / cost; None where the ceiling is 0
    gpus: tuple[int, ...] = (1, 2)  # of programs in which it is planted
    never_with: frozenset[str] = frozenset()  # plants whose problem hides this one
    also: frozenset[str] = frozenset()  # findings that are true because of it (docs/profiles/findings.md says why)


# Rules speak from 1 % of the time on; with a ceiling a tenth too low from this on.
WORTH = 0.011

TRUTHS = {
    "gap": Truth("gpu_idle_input"),  # the next work of the GPU is the input copy
    # Other kernels that take longer are then as dominant.
    "dominant_kernel": Truth("dominant_kernel", BOUND, never_with=frozenset({"float32", "slow_link"})),
    "pageable": Truth("pageable_copy"),
    # Waiting for the whole GPU waits for the prefetch of the next batch too.
    "sync": Truth("sync_in_loop", also=frozenset({"exposed_copy"})),
    # A copy of pageable memory waits for its stream anyway, and the first cudaFree of a step for the copy.
    "serial_copy": Truth("exposed_copy", never_with=frozenset({"pageable", "steady_allocation"})),
    # Slices of a kernel that lacks warps are no short kernels.
    "tiny_kernels": Truth("tiny_kernels", never_with=frozenset({"low_occupancy"})),
    "small_grid": Truth("small_grid"),
    "tail_wave": Truth("tail_wave"),
    "low_occupancy": Truth("low_occupancy", BOUND),
    "float32": Truth("float32_matmul", BOUND),
    "unfused_attention": Truth("unfused_attention", BOUND),
    # Both change the kernels of the norms.
    "repeated_sequence": Truth("repeated_sequence", never_with=frozenset({"small_grid"})),
    "redundant_sync": Truth("redundant_sync"),
    # While copies or migrations hold the GPU up, a slow host costs nothing, and the other way round; a release waits for
    # the GPU, which ends a stretch. This plant takes long operators apart: those that float32 makes long, and the
    # attention that unfused_attention takes apart.
    "launch_bound": Truth("launch_bound", never_with=frozenset({"serial_copy", "slow_link", "managed_thrash",
                                                                "steady_allocation", "unfused_attention", "float32"})),
    # Copies of pageable memory are staged: their rate is not the link's. The slow copies run alone, which is a problem of
    # its own and the one that serial_copy plants. They differ from GPU to GPU, so that GPUs come to wait for each other.
    "slow_link": Truth("low_copy_rate", never_with=frozenset({"pageable", "serial_copy"}),
                       also=frozenset({"exposed_copy", "gpu_idle_queued"})),
    # Both wait for the same work at the end of a layer. On two GPUs the ceiling is 0.89 to 0.93 of the cost: the replay
    # does not know all that GPUs wait for each other.
    "sync_copy": Truth("sync_copy", gpus=(1,), never_with=frozenset({"sync"})),
    # cudaFree waits for the whole GPU, and so for the prefetch of the next batch too.
    "steady_allocation": Truth("steady_allocation", also=frozenset({"exposed_copy"})),
    "steady_load": Truth("steady_load"),
    # They run alone, too, and the other GPU waits for this one's.
    # Copies wait for other copies to the GPU, and a slow host costs nothing meanwhile.
    "repeated_copy": Truth("repeated_copy", never_with=frozenset({"slow_link", "serial_copy", "launch_bound"})),
    "small_copies": Truth("small_copies", also=frozenset({"exposed_copy", "gpu_idle_queued"})),
    "managed_thrash": Truth("managed_thrash"),
    "memory_growth": Truth("memory_growth", within=None),
    # Waiting for the whole GPU after each layer waits for the reductions, too: they run alone either way.
    "late_reduction": Truth("exposed_communication", gpus=(2,), never_with=frozenset({"sync"})),
    "slow_gpu": Truth("straggler_compute", gpus=(2,)),
    "slow_host": Truth("straggler_host", gpus=(2,)),
    # Slower and with more to do, a GPU is told to compute longer: in one finding. unfused_attention has one size for all,
    # and with other blocks the waves of tail_wave are others.
    "unequal_batch": Truth("straggler_work", gpus=(2,),
                           never_with=frozenset({"slow_gpu", "unfused_attention", "tail_wave"})),
    # With a tenth more blocks the halves no longer fit the GPU together.
    "serialized_streams": Truth("serialized_streams_default", never_with=frozenset({"unequal_batch"})),
}

# Later than the others: the draws of draw() stay what they were.
LATER = {"memsets": Truth("memset_time")}
# Plants that change where the steps are, and cost them nothing: a problem must be found in them like without.
SHAPES = ("nested", "several_loops", "cut_window")
# Later still.
LATEST = {
    # All change the activations, or the additions in them.
    "pointwise_chain": Truth("pointwise_chain_same_grid", BOUND,
                             never_with=frozenset({"tiny_kernels", "low_occupancy", "serialized_streams"})),
    # The first of these waits waits for a copy on the same stream, too.
    "tiny_waits": Truth("sync_in_loop", never_with=frozenset({"sync", "serial_copy"})),
    "data_loading": Truth("gpu_idle_input", never_with=frozenset({"gap"})),
}
ALL = TRUTHS | LATER | LATEST


@dataclass
class Row:
    """What came out for one plant: alone, with as many others, or in a shape."""

    planted: int = 0
    found: int = 0
    ratios: list[float] = field(default_factory=list)


@dataclass
class Results:
    rows: dict[tuple[str, str], Row] = field(default_factory=dict)  # of a plant and what it is planted with
    profiles: int = 0
    small: int = 0  # problems that are not worth a sentence beside the others, and had none
    findings: int = 0
    false: list[str] = field(default_factory=list)  # what was found and not planted
    off: list[str] = field(default_factory=list)  # ceilings that are not within what they should be
    wrong: list[str] = field(default_factory=list)  # what else does not hold


def run(*arguments: str) -> str:
    command = [os.environ["SONDE"], *arguments]
    result = subprocess.run(command, capture_output=True, text=True)
    answers = (0, 3) if arguments[0] == "why" else (0,)
    assert result.returncode in answers, (command, result.returncode, result.stderr)
    return result.stdout


def cost_of(document: dict, plant: dict) -> int:
    """What a plant costs in the steps that were judged: the same steps of the run without it took less. (The cost of the
    whole run has its slow first steps in it.)"""
    steps = document["steps"]
    first = steps["recorded"] - steps["judged"]
    base = plant["base_steps_ns"][first : first + steps["judged"]]
    return document["wall_ns"] - (base[-1][1] - base[0][0])


def synthesize(profile: Path, seed: int, gpus: int, plants: tuple[str, ...]) -> list[dict]:
    """Makes a profile; the costs of its plants."""
    options = [word for plant in plants for word in ("--plant", plant)]
    run("synth", "--program", "tuned", "--gpus", str(gpus), "--seed", str(seed), *options, "-o", str(profile),
        "--force-overwrite")
    return json.loads(Path(f"{profile}.planted.json").read_text())["plants"] if plants else []


def judge(results: Results, folder: Path, seed: int, gpus: int, plants: tuple[str, ...], shape: str = ""):
    profile = folder / "run.sqlite"
    costs = synthesize(profile, seed, gpus, plants)
    if shape:  # the costs are those without it
        synthesize(profile, seed, gpus, (*plants, shape))
    document = json.loads(run("why", "--json", str(profile)))
    together = " + ".join((*plants, shape) if shape else plants)
    name = f"seed {seed}, {gpus} GPUs, {together or 'nothing planted'}"
    results.profiles += 1
    ceilings = {finding["id"]: finding["ceiling_ns"] for finding in document["findings"]}
    results.findings += len(ceilings)
    if sum(ceilings.values()) > document["wall_ns"]:
        results.wrong.append(f"{name}: ceilings add up past the wall time")
    expected = set()
    for plant in costs:
        truth = ALL[plant["name"]]
        expected |= {truth.finding} | truth.also
        cost = cost_of(document, plant)
        if truth.finding not in ceilings and truth.within and cost < WORTH * document["wall_ns"]:
            results.small += 1
            continue
        row = results.rows.setdefault((plant["name"], shape or str(len(plants) - 1)), Row())
        compare(results, row, truth, ceilings.get(truth.finding), cost, f"{name}: {plant['name']}")
    results.false += [f"{name}: {finding}" for finding in ceilings if finding not in expected]


def compare(results: Results, row: Row, truth: Truth, ceiling: int | None, cost: int, name: str):
    row.planted += 1
    if ceiling is None:
        results.wrong.append(f"{name}, which costs {cost / 1e6:.2f} ms, was not found")
        return
    row.found += 1
    if truth.within is None:
        if ceiling != 0:
            results.wrong.append(f"{name}: ceiling {ceiling / 1e6:.2f} ms where nothing can be saved")
        return
    row.ratios.append(ceiling / cost)
    if not truth.within[0] <= row.ratios[-1] <= truth.within[1]:
        results.off.append(f"{name}: ceiling {ceiling / 1e6:.2f} ms, cost {cost / 1e6:.2f} ms")


def draw(seed: int, most: int) -> tuple[int, tuple[str, ...]]:
    """GPUs and problems of a profile, by its seed alone: none, one, a pair, a triple."""
    dice = random.Random(seed)
    gpus = dice.choice((1, 2))
    possible = sorted(name for name, truth in TRUTHS.items() if gpus in truth.gpus)
    chosen: list[str] = []
    for name in dice.sample(possible, len(possible)):
        if len(chosen) < seed % (most + 1) and not any(exclude(name, other) for other in chosen):
            chosen.append(name)
    return gpus, tuple(sorted(chosen))


def exclude(one: str, other: str) -> bool:
    return other in ALL[one].never_with or one in ALL[other].never_with


def measure_alone(results: Results, seeds: range):
    """Each problem alone, and none, on each number of GPUs that it goes with."""
    with tempfile.TemporaryDirectory() as folder:
        for seed in seeds:
            for gpus in (1, 2):
                judge(results, Path(folder), seed, gpus, ())
            for plant, truth in TRUTHS.items():
                for gpus in truth.gpus:
                    judge(results, Path(folder), seed, gpus, (plant,))


def measure_drawn(results: Results, seeds: range, most: int = 3):
    with tempfile.TemporaryDirectory() as folder:
        for seed in seeds:
            gpus, plants = draw(seed, most)
            judge(results, Path(folder), seed, gpus, plants)


def measure_later(results: Results, seeds: range):
    """Plants of LATER alone and with one other; then each problem in each shape. A seed for each profile."""
    seed = iter(seeds)
    with tempfile.TemporaryDirectory() as folder:
        for later, truth in LATER.items():
            for other in ("", "", "", *sorted(TRUTHS)):
                gpus = random.Random(number := next(seed)).choice(TRUTHS[other].gpus if other else truth.gpus)
                judge(results, Path(folder), number, gpus, (later, other) if other else (later,))
        for shape in SHAPES:
            judge(results, Path(folder), next(seed), 1, (), shape)
            for plant, truth in sorted((TRUTHS | LATER).items()):
                gpus = random.Random(number := next(seed)).choice(truth.gpus)
                judge(results, Path(folder), number, gpus, (plant,), shape)


def measure_latest(results: Results, seeds: range):
    """Plants of LATEST alone, with one other, and in each shape. A seed for each profile."""
    seed = iter(seeds)
    with tempfile.TemporaryDirectory() as folder:
        for latest, truth in LATEST.items():
            for other in ("", "", "", *sorted(TRUTHS)):
                if other and exclude(latest, other):
                    continue
                gpus = random.Random(number := next(seed)).choice(TRUTHS[other].gpus if other else truth.gpus)
                judge(results, Path(folder), number, gpus, (latest, other) if other else (latest,))
            for shape in SHAPES:
                judge(results, Path(folder), next(seed), 1, (latest,), shape)


def table(results: Results) -> str:
    lines = [
        "| planted | with others | finding | found | ceiling / cost: median | least | most |",
        "|---|---|---|---|---|---|---|",
    ]
    for (plant, planted_with), row in sorted(results.rows.items()):
        ratios = [f"{f(row.ratios):.2f}" for f in (statistics.median, min, max)] if row.ratios else ["-"] * 3
        lines.append(
            f"| {plant} | {planted_with} | {ALL[plant].finding} | {row.found} of {row.planted} | "
            + " | ".join(ratios) + " |"
        )
    share = 100 * len(results.false) / max(1, results.findings)
    lines.append(
        f"\n{results.profiles} profiles, {results.findings} findings, of them {len(results.false)} false ({share:.1f} %); "
        f"{len(results.off)} of {sum(len(row.ratios) for row in results.rows.values())} ceilings off; "
        f"{results.small} problems cost less than 1 % of the time and are not reported"
    )
    return "\n".join(lines)


# Findings that may be false, and ceilings that may be off, of a hundred.
MOST_FALSE = 5
MOST_OFF = 1


def check(results: Results) -> int:
    """Prints the table and what does not hold; 1 where something does not."""
    print(table(results))
    print("\n".join(results.wrong + [f"off: {name}" for name in results.off] + [f"false: {name}" for name in results.false]))
    ceilings = sum(len(row.ratios) for row in results.rows.values())
    too_false = 100 * len(results.false) > MOST_FALSE * results.findings
    too_far_off = 100 * len(results.off) > MOST_OFF * ceilings
    return 1 if results.wrong or too_false or too_far_off else 0
