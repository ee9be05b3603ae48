#!/usr/bin/env python3
"""Takes the profiler's cost out of 200 simulated programs whose step without it is known (docs/profiles/findings.md)."""

import json
import os
import random
import statistics
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

PROGRAMS = 200
FIRST_SEED = 5000
MEDIAN_ERROR = 0.05
# Where recording slows the program by less, there is nothing to take out.
SLOWED = 0.02
FEWEST_SLOWED = 50
# The stated range must hold the step in so many.
IN_RANGE = 0.9
PLANTS = ("gap", "launch_bound", "sync", "sync_copy", "pageable", "tiny_kernels", "unfused_attention", "float32")


def run(*arguments: str) -> str:
    result = subprocess.run([os.environ["SONDE"], *arguments], capture_output=True, text=True)
    assert result.returncode == 0, (arguments, result.stderr)
    return result.stdout


def options_of(seed: int) -> list[str]:
    draw = random.Random(seed)
    program = draw.choice(("inference", "training", "tuned"))
    options = ["--seed", str(seed), "--program", program, "--layers", str(draw.randint(1, 6)), "--iterations", "20"]
    for plant in draw.sample(PLANTS, draw.choice((0, 1, 1, 2))):
        options += ["--plant", plant]
    return options


def step_of(folder: str, name: str, options: list[str]) -> dict:
    profile = f"{folder}/{name}.json"
    run("synth", *options, "-o", profile)
    step = json.loads(run("summary", "--json", profile))["recorder"]
    os.remove(profile)
    return step


def compared(seed: int) -> tuple[float, float, bool, str]:
    """Errors of the step as recorded and without the recorder, whether the range holds it, and what ran."""
    options = options_of(seed)
    with tempfile.TemporaryDirectory() as folder:
        true_ns = step_of(folder, "bare", [*options, "--recorded-by", "free"])["recorded_ns"]
        step = step_of(folder, "recorded", [*options, "--recorded-by", "pytorch"])
    return (step["recorded_ns"] / true_ns - 1, step["without_ns"] / true_ns - 1,
            step["low_ns"] <= true_ns <= step["high_ns"], " ".join(options))


def medians(results: list) -> tuple[float, float, float]:
    """Errors as recorded and without the recorder, and the share of steps in their range."""
    return (statistics.median(abs(r[0]) for r in results), statistics.median(abs(r[1]) for r in results),
            sum(r[2] for r in results) / len(results))


def main() -> int:
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        results = list(pool.map(compared, range(FIRST_SEED, FIRST_SEED + PROGRAMS)))
    slowed = [r for r in results if r[0] > SLOWED]
    recorded, without, within = medians(results)
    for error, corrected, inside, options in sorted(results, key=lambda r: -abs(r[1]))[:10]:
        print(f"{100 * error:+7.1f} % as recorded {100 * corrected:+7.1f} % without {'' if inside else 'outside'} {options}")
    print(f"{PROGRAMS} programs: median error {100 * recorded:.1f} % as recorded, {100 * without:.1f} % without; largest "
          f"{100 * max(abs(r[1]) for r in results):.1f} %; {100 * within:.0f} % within the range")
    recorded, slowed_without, slowed_within = medians(slowed)
    print(f"{len(slowed)} of them that recording slows by more than {100 * SLOWED:.0f} %: {100 * recorded:.1f} %, "
          f"{100 * slowed_without:.1f} %; {100 * slowed_within:.0f} % within the range")
    fine = max(without, slowed_without) < MEDIAN_ERROR and min(within, slowed_within) >= IN_RANGE
    return 0 if fine and len(slowed) >= FEWEST_SLOWED else 1


sys.exit(main())
