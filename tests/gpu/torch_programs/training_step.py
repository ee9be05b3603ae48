#!/usr/bin/env python3
"""Runs an ordinary PyTorch training step. Prints the median of its steps as JSON. --torch-profiler runs it under PyTorch's
own profiler, and writes the trace if a file is named."""

import argparse
import json
import statistics
import time

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


def profiler(wanted, device):
    if not wanted:
        return None
    kinds = torch.profiler.ProfilerActivity
    return torch.profiler.profile(activities=[kinds.CPU] + [kinds.CUDA] * (device != "cpu"))


def batches(options, shape):
    """The same random batch again and again, from worker processes if there are any."""
    data = torch.rand(*shape)
    if options.workers == 0:
        while True:
            yield data
    samples = TensorDataset(data.repeat(4, 1, 1))
    while True:
        for (batch,) in DataLoader(samples, batch_size=shape[0], num_workers=options.workers):
            yield batch


def train(options):
    width, layers = (64, 2) if options.tiny else (512, 6)
    layer = nn.TransformerEncoderLayer(width, 8, 4 * width, 0.0, batch_first=True)
    model = nn.TransformerEncoder(layer, layers).to(options.device)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4)
    source = batches(options, (16, 16 if options.tiny else 256, width))
    times = []
    until = time.perf_counter() + options.seconds
    while len(times) < options.steps and (not times or time.perf_counter() < until):
        data = next(source).to(options.device)
        began = time.perf_counter()
        optimizer.zero_grad()
        (model(data) - data).square().mean().backward()
        optimizer.step()
        if options.device != "cpu":
            torch.cuda.synchronize()
        times.append((time.perf_counter() - began) * 1e3)
    return {"steps": len(times), "step_ms": statistics.median(times[len(times) // 3:])}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--steps", type=int, default=60)
    parser.add_argument("--seconds", type=float, default=300, help="at most")
    parser.add_argument("--workers", type=int, default=0, help="processes of a DataLoader")
    parser.add_argument("--torch-profiler", nargs="?", const="", metavar="FILE")
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--tiny", action="store_true")
    options = parser.parse_args()
    torch.manual_seed(0)
    profile = profiler(options.torch_profiler is not None, options.device)
    if profile:
        profile.start()
    answer = train(options)
    if profile:
        profile.stop()
        if options.torch_profiler:
            profile.export_chrome_trace(options.torch_profiler)
    print(json.dumps(answer))


if __name__ == "__main__":
    main()
