"""Pairs of profiles of one seed, with and without a planted problem, and whether `sonde compare` names it first."""

import json
import os
import re
import subprocess
import tempfile
from pathlib import Path

PROGRAMS = {
    "inference": [],
    "training": ["--program", "training"],
    "tuned": ["--program", "tuned"],
    "training_2_gpus": ["--program", "training", "--gpus", "2"],
}
LEVELS = ("modules", "kernels", "kernels_in_modules")
# What may be named first: ids of causes_en.inc, and what the sentence must hold (where it is, which kernel).
PLANTS = {
    "slow_kernel": (("kernel_slower",), r"gelu.*forward.*encoder.*mlp"),
    "sync": (("synchronizations_more",), r"cudaDeviceSynchronize"),
    "pageable": (("pageable_copies_more",), r"Host-to-Device"),
    "double_launches": (("launches_more",), r"layer_norm"),
    "tiny_kernels": (("launches_more_reshaped", "launches_more"), r"gelu.*forward"),
    "dominant_kernel": (("kernel_slower",), r"gemm.*tilesize128"),
    "low_occupancy": (("configuration_slower",), r"gelu.*registers"),
    "steady_allocation": (("allocations_more",), r"cudaMalloc.*(attention|model)"),
    "sync_copy": (("blocking_copies_more",), r"cudaMemcpy"),
    "small_copies": (("copies_more", "copies_added"), r"Device-to-Host.*loss"),
    "unfused_attention": (("kernels_replaced",), r"flash.*forward.*attention"),
}
TOLERANCE = 0.20
LEAST = 0.003  # of a step


def sonde(*arguments):
    return subprocess.run([os.environ["SONDE"], *map(str, arguments)], check=True, capture_output=True, text=True).stdout


def synth(folder, name, program, seed, plant=None):
    path = Path(folder) / f"{name}.sqlite"
    extra = ["--plant", plant] if plant else []
    sonde("synth", "-o", path, "--seed", seed, "--iterations", "12", "--layers", "2", *PROGRAMS[program], *extra,
          "--force-overwrite")  # fmt: skip
    return path


def planted_cost(path):
    """What a step costs more in the steady ones, by the simulator's own clock."""
    planted = json.loads(Path(f"{path}.planted.json").read_text())
    base, new = planted["plants"][0]["base_steps_ns"], planted["steps_ns"]
    steady = slice(len(new) // 3, None)
    length = lambda steps: (steps[steady][-1][1] - steps[steady][0][0]) / len(steps[steady])  # noqa: E731
    return length(new) - length(base)


def compared(base, new):
    return json.loads(sonde("compare", "--base", base, "--new", new, "-f", "json"))["difference"]


def changes(rows):
    return sum(row["change_ns"] for row in rows)


def sum_mistakes(difference):
    """Each level must add up to the nanosecond, on both sides."""
    whole = (difference["new_ns"] - difference["base_ns"]) * difference["gpus"]
    busy = next((row for row in difference["top"] if row["name"] == "busy"), {"change_ns": 0, "base_ns": 0, "new_ns": 0})
    if changes(difference["top"]) != whole:
        yield f"top: {changes(difference['top'])} is not {whole}"
    if difference["causes"] and changes(difference["causes"]) != whole:
        yield f"causes: {changes(difference['causes'])} is not {whole}"
    for side, length in (("base_ns", "base_ns"), ("new_ns", "new_ns")):
        total = sum(row[side] or 0 for row in difference["top"])
        if total != difference[length] * difference["gpus"]:
            yield f"top: {side} {total} is not {difference[length] * difference['gpus']}"
        for level in LEVELS:
            if sum(row[side] or 0 for row in difference[level]) != (busy[side] or 0):
                yield f"{level}: {side} is not {busy[side]}"
        idle = sum(row[side] or 0 for row in difference["top"] if row["name"] != "busy")
        if sum(row[side] or 0 for row in difference["idle"]) != idle:
            yield f"idle: {side} is not {idle}"


def verdict(plant, difference, cost_ns):
    """None where the planted cause is named first, at its place, with its cost; else what is wrong."""
    ids, words = PLANTS[plant]
    cost_ns *= difference["gpus"]
    first = difference["causes"][0] if difference["causes"] else {"id": "none", "says": "", "change_ns": 0}
    if first["id"] not in ids:
        return f"{first['id']} is first"
    told = " ".join(str(first["arguments"].get(key, "")) for key in ("kernel", "added", "removed", "direction", "calls", "module", "detail"))
    if not re.search(words, told):
        return f"{words} is not in: {told}"
    if abs(first["change_ns"] - cost_ns) > TOLERANCE * cost_ns:
        return f"{first['change_ns'] / 1000:.1f} us, planted {cost_ns / 1000:.1f} us"
    return None


def pairs(programs, seeds, plants):
    """program, seed, plant, difference, planted cost a step and GPU."""
    with tempfile.TemporaryDirectory() as folder:
        for program in programs:
            for seed in seeds:
                base = synth(folder, "base", program, seed)
                for plant in plants:
                    new = synth(folder, "new", program, seed, plant)
                    cost_ns = planted_cost(new)
                    difference = compared(base, new)
                    # A program without what the plant changes.
                    if cost_ns > LEAST * difference["base_ns"]:
                        yield program, seed, plant, difference, cost_ns
