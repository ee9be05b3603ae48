#!/usr/bin/env python3
"""Runs an ordinary PyTorch training step. Prints the median of its steps as JSON, and with --torch-profiler the kernels
that PyTorch's own profiler recorded."""

import argparse
import json
import statistics
import time

import torch
from torch import nn


def profiler(wanted):
    kinds = torch.profiler.ProfilerActivity
    return torch.profiler.profile(activities=[kinds.CPU, kinds.CUDA]) if wanted else None


def kernels(profile):
    """{name: [count, microseconds]}, without copies and sets."""
    found = {}
    for event in profile.events():
        if event.device_type == torch.autograd.DeviceType.CUDA and not event.name.startswith(("Memcpy", "Memset")):
            sums = found.setdefault(event.name, [0, 0])
            sums[0] += 1
            sums[1] += event.time_range.elapsed_us()
    return found


def train(steps):
    layer = nn.TransformerEncoderLayer(512, 8, 2048, 0.0, batch_first=True)
    model = nn.TransformerEncoder(layer, 6).cuda()
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4)
    data = torch.rand(16, 256, 512, device="cuda")
    times = []
    for _ in range(steps):
        began = time.perf_counter()
        optimizer.zero_grad()
        (model(data) - data).square().mean().backward()
        optimizer.step()
        torch.cuda.synchronize()
        times.append((time.perf_counter() - began) * 1e3)
    return statistics.median(times[len(times) // 3:])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, default=60)
    parser.add_argument("--torch-profiler", action="store_true")
    options = parser.parse_args()
    torch.manual_seed(0)
    profile = profiler(options.torch_profiler)
    if profile:
        profile.start()
    answer = {"step_ms": train(options.steps)}
    if profile:
        profile.stop()
        answer["kernels"] = kernels(profile)
    print(json.dumps(answer))


if __name__ == "__main__":
    main()
