#!/usr/bin/env python3
"""Puts the measured tables of docs/serve/strategies.md into its text: make_strategy_docs.py build/release/sonde. A test compares
the two. The day is examples/workload.yaml with examples/workload_config.yaml, over several seeds."""

import json
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs/serve/strategies.md"
TABLE = re.compile(r"<!-- table: (\w+) -->\n.*?<!-- end -->\n", re.DOTALL)
SEEDS = range(1, 6)


def strategies_of(sonde, seed):
    command = [sonde, "simulate", "--config", "examples/workload_config.yaml", "--workload", "examples/workload.yaml",
               "--strategy", "all", "--seed", str(seed), "--format", "json"]  # fmt: skip
    run = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True)
    return json.loads(run.stdout)["strategies"]


def minutes(seconds):
    return f"{seconds / 60:.1f}"


def mean(values):
    return sum(values) / len(values)


def share(part, whole):
    return f"{100 * part / whole:.1f} %" if whole else "-"


def comparison(days):
    """A row for each strategy: means over the days, and the longest wait of all."""
    rows = ["| strategy | mean of the p90 waits (min) | p99 (min) | longest (min) | slowdown | fairness | GPU use | "
            "memory kept | timed out | starts in range |", "|---|---|---|---|---|---|---|---|---|---|"]  # fmt: skip
    for place, first in enumerate(days[0]):
        of = [day[place] for day in days]
        waits = [day["waits"] for day in of]
        rows.append("| " + " | ".join([
            f"`{first['strategy']}`", minutes(mean([w["p90_seconds"] for w in waits])),
            minutes(mean([w["p99_seconds"] for w in waits])), minutes(max(w["longest_seconds"] for w in waits)),
            f"{mean([day['slowdown'] for day in of]):.2f}", f"{mean([day['fairness'] for day in of]):.3f}",
            f"{100 * mean([day['use'] for day in of]):.1f} %", f"{100 * mean([day['memory_kept'] for day in of]):.1f} %",
            f"{sum(day['timed_out'] for day in of)} of {sum(day['tasks'] for day in of)}",
            share(sum(day["forecasts"]["in_range"] for day in of), sum(day["forecasts"]["made"] for day in of)),
        ]) + " |")  # fmt: skip
    return "\n".join(rows) + "\n"


def types(days):
    """The mean p90 wait of each type."""
    names = sorted({name for day in days for strategy in day for name in strategy["waits_by_type"]})
    rows = ["| strategy | " + " | ".join(f"{name} (min)" for name in names) + " |", "|---" * (len(names) + 1) + "|"]
    for place, first in enumerate(days[0]):
        p90 = [mean([day[place]["waits_by_type"][name]["p90_seconds"] for day in days]) for name in names]
        rows.append(f"| `{first['strategy']}` | " + " | ".join(minutes(value) for value in p90) + " |")
    return "\n".join(rows) + "\n"


def page(sonde):
    days = [strategies_of(sonde, seed) for seed in SEEDS]
    makers = {"comparison": comparison, "types": types}
    text = PAGE.read_text(encoding="utf-8")
    return TABLE.sub(lambda m: f"<!-- table: {m[1]} -->\n{makers[m[1]](days)}<!-- end -->\n", text)


if __name__ == "__main__":
    PAGE.write_text(page(Path(sys.argv[1]).resolve()), encoding="utf-8")
