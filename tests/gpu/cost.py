"""Measures the cost of recording: the same program alone, under Sonde, under PyTorch's profiler and under nsys,
alternately; medians."""

import json
import statistics
import sys
from pathlib import Path

from _host import ROOT, SONDE, Missing, check, run, tool

ROUNDS = 5
MOST_OF_TRAINING = 1.05


def step_ms(words):
    return json.loads(run(words).stdout.strip().splitlines()[-1])["step_ms"]


def recorders(host, words, profiler_words):
    """{name: command}; those that the host lacks are left out."""
    ways = {"alone": words,
            "sonde": [SONDE, "record", "-f", "-t", "cuda,nvtx", "-o", host.file("cost.sqlite"), "--", *words]}
    if profiler_words:
        ways["torch.profiler"] = profiler_words
    try:
        ways["nsys"] = [tool("nsys"), "profile", "-f", "true", "-t", "cuda,nvtx", "-s", "none", "-o", host.file("cost_nsys"),
                        *words]
    except Missing:
        pass
    return ways


def measure(host, words, profiler_words=None):
    """{way: (ms a step, times that of alone)}"""
    ways = recorders(host, words, profiler_words)
    found = {name: [] for name in ways}
    for _ in range(ROUNDS):
        for name, command in ways.items():
            found[name].append(step_ms(command))
    medians = {name: statistics.median(times) for name, times in found.items()}
    return {name: (ms, ms / medians["alone"]) for name, ms in medians.items()}


def shown(costs):
    lacks = "" if "nsys" in costs else "; nsys is not installed"
    return ", ".join(f"{name} {ms:.3f} ms ({share:.3f})" for name, (ms, share) in costs.items()) + lacks


def launch_loop(host):
    """A thousand launches that do nothing else."""
    return shown(measure(host, [host.program(), "loop", 200]))


def training(host):
    """At most 5 % more, and less than PyTorch's profiler takes."""
    host.torch()
    words = [sys.executable, Path(__file__).parent / "training_step.py"]
    costs = measure(host, words, [*words, "--torch-profiler"])
    check(costs["sonde"][1] <= MOST_OF_TRAINING, shown(costs))
    check(costs["sonde"][0] < costs["torch.profiler"][0], shown(costs))
    return shown(costs)


def rtdetr(host):
    host.torch()
    words = [sys.executable, ROOT / "examples/rtdetr.py"]
    costs = measure(host, words, [*words, "--torch-profiler"])
    check(costs["sonde"][0] < costs["torch.profiler"][0], shown(costs))
    return shown(costs)


PARTS = (launch_loop, training, rtdetr)
