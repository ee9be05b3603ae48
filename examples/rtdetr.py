#!/usr/bin/env python3
"""RT-DETR, an object detector, on random images and with random weights: an example program to profile with Sonde.

    sonde record --torch-modules -o rtdetr.sqlite -- python examples/rtdetr.py
    sonde study -- python examples/rtdetr.py

Uses the model of `transformers` if that is installed, otherwise one of its shape in plain PyTorch: a residual network as
backbone, an encoder that attends within the smallest map and fuses all three, a decoder of six layers over 300 queries.
Prints the median time of an inference as JSON."""

import argparse
import contextlib
import json
import statistics
import time

import torch
from torch import nn
from torch.nn import functional

QUERIES, WIDTH, HEADS, CLASSES, LEVELS, POINTS = 300, 256, 8, 80, 3, 4


def convolution(inputs, outputs, size=3, stride=1):
    return nn.Sequential(nn.Conv2d(inputs, outputs, size, stride, size // 2, bias=False), nn.BatchNorm2d(outputs), nn.ReLU())


class Bottleneck(nn.Module):
    def __init__(self, inputs, width, stride):
        super().__init__()
        self.body = nn.Sequential(convolution(inputs, width, 1), convolution(width, width, 3, stride),
                                  nn.Conv2d(width, 4 * width, 1, bias=False), nn.BatchNorm2d(4 * width))
        same = inputs == 4 * width and stride == 1
        self.shortcut = nn.Identity() if same else nn.Conv2d(inputs, 4 * width, 1, stride, bias=False)

    def forward(self, x):
        return functional.relu(self.body(x) + self.shortcut(x))


class Backbone(nn.Module):
    """The shape of ResNet-50: maps of strides 8, 16 and 32."""

    def __init__(self, blocks=(3, 4, 6, 3)):
        super().__init__()
        self.stem = nn.Sequential(convolution(3, 64, 7, 2), nn.MaxPool2d(3, 2, 1))
        self.stages = nn.ModuleList()
        inputs = 64
        for index, count in enumerate(blocks):
            width = 64 << index
            layers = [Bottleneck(inputs if i == 0 else 4 * width, width, 2 if i == 0 and index else 1) for i in range(count)]
            self.stages.append(nn.Sequential(*layers))
            inputs = 4 * width

    def forward(self, x):
        x = self.stem(x)
        maps = []
        for stage in self.stages:
            x = stage(x)
            maps.append(x)
        return maps[1:]


class Encoder(nn.Module):
    """Attention within the smallest map, then fusion downwards and upwards."""

    def __init__(self, inputs=(512, 1024, 2048)):
        super().__init__()
        self.project = nn.ModuleList(convolution(count, WIDTH, 1) for count in inputs)
        self.attend = nn.TransformerEncoderLayer(WIDTH, HEADS, 1024, 0.0, batch_first=True)
        self.fuse_down = nn.ModuleList(convolution(2 * WIDTH, WIDTH) for _ in inputs[1:])
        self.shrink = nn.ModuleList(convolution(WIDTH, WIDTH, 3, 2) for _ in inputs[1:])
        self.fuse_up = nn.ModuleList(convolution(2 * WIDTH, WIDTH) for _ in inputs[1:])

    def forward(self, maps):
        maps = [project(x) for project, x in zip(self.project, maps)]
        height, width = maps[-1].shape[-2:]
        attended = self.attend(maps[-1].flatten(2).transpose(1, 2))
        maps[-1] = attended.transpose(1, 2).unflatten(2, (height, width))
        for index in reversed(range(len(maps) - 1)):
            larger = functional.interpolate(maps[index + 1], size=maps[index].shape[-2:])
            maps[index] = self.fuse_down[index](torch.cat([maps[index], larger], 1))
        for index in range(len(maps) - 1):
            maps[index + 1] = self.fuse_up[index](torch.cat([maps[index + 1], self.shrink[index](maps[index])], 1))
        return maps


class DeformableAttention(nn.Module):
    """Each query looks at a few places of each map, near its own."""

    def __init__(self):
        super().__init__()
        self.offsets = nn.Linear(WIDTH, HEADS * LEVELS * POINTS * 2)
        self.weights = nn.Linear(WIDTH, HEADS * LEVELS * POINTS)
        self.values = nn.ModuleList(nn.Conv2d(WIDTH, WIDTH, 1) for _ in range(LEVELS))
        self.out = nn.Linear(WIDTH, WIDTH)

    def forward(self, queries, places, maps):
        batch, count, _ = queries.shape
        offsets = self.offsets(queries).view(batch, count, HEADS, LEVELS, POINTS, 2).tanh() * 0.1
        weights = self.weights(queries).view(batch, count, HEADS, LEVELS * POINTS).softmax(-1)
        at = (places[:, :, None, None, None] + offsets) * 2 - 1
        sampled = []
        for level, (value, x) in enumerate(zip(self.values, maps)):
            heads = value(x).unflatten(1, (HEADS, WIDTH // HEADS)).flatten(0, 1)
            grid = at[:, :, :, level].transpose(1, 2).flatten(0, 1)
            sampled.append(functional.grid_sample(heads, grid, align_corners=False))
        found = torch.cat(sampled, -1).view(batch, HEADS, WIDTH // HEADS, count, LEVELS * POINTS)
        found = (found * weights.transpose(1, 2)[:, :, None]).sum(-1)
        return self.out(found.flatten(1, 2).transpose(1, 2))


class DecoderLayer(nn.Module):
    def __init__(self):
        super().__init__()
        self.self_attention = nn.MultiheadAttention(WIDTH, HEADS, batch_first=True)
        self.cross_attention = DeformableAttention()
        self.feed_forward = nn.Sequential(nn.Linear(WIDTH, 1024), nn.ReLU(), nn.Linear(1024, WIDTH))
        self.norms = nn.ModuleList(nn.LayerNorm(WIDTH) for _ in range(3))

    def forward(self, queries, places, maps):
        queries = self.norms[0](queries + self.self_attention(queries, queries, queries)[0])
        queries = self.norms[1](queries + self.cross_attention(queries, places, maps))
        return self.norms[2](queries + self.feed_forward(queries))


class Decoder(nn.Module):
    def __init__(self, layers=6):
        super().__init__()
        self.score = nn.Linear(WIDTH, CLASSES)
        self.layers = nn.ModuleList(DecoderLayer() for _ in range(layers))
        self.box = nn.Linear(WIDTH, 4)

    def forward(self, maps):
        tokens = torch.cat([x.flatten(2).transpose(1, 2) for x in maps], 1)
        best = self.score(tokens).amax(-1).topk(min(QUERIES, tokens.shape[1])).indices
        queries = tokens.gather(1, best[..., None].expand(-1, -1, WIDTH))
        places = self.box(queries)[..., :2].sigmoid()
        for layer in self.layers:
            queries = layer(queries, places, maps)
            places = (places + self.box(queries)[..., :2].tanh() * 0.1).clamp(0, 1)
        return self.score(queries), self.box(queries).sigmoid()


class Detector(nn.Module):
    def __init__(self):
        super().__init__()
        self.backbone = Backbone()
        self.encoder = Encoder()
        self.decoder = Decoder()

    def forward(self, images):
        return self.decoder(self.encoder(self.backbone(images)))


def of_transformers():
    """The model of `transformers` with random weights: nothing is fetched. None where it is not installed."""
    try:
        from transformers import RTDetrConfig, RTDetrForObjectDetection  # pylint: disable=import-outside-toplevel
    except ImportError:
        return None
    return RTDetrForObjectDetection(RTDetrConfig(use_pretrained_backbone=False))


def inferences(model, options):
    """Milliseconds of each, with its images brought to the device."""
    images = torch.rand(options.batch, 3, options.size, options.size)
    times = []
    for _ in range(options.steps):
        began = time.perf_counter()
        model(images.to(options.device, non_blocking=True))
        if options.device.startswith("cuda"):
            torch.cuda.synchronize()
        times.append((time.perf_counter() - began) * 1e3)
    return times


def torch_profiler(wanted, device):
    if not wanted:
        return contextlib.nullcontext()
    kinds = torch.profiler.ProfilerActivity
    return torch.profiler.profile(activities=[kinds.CPU] + ([kinds.CUDA] if device.startswith("cuda") else []))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--steps", type=int, default=30)
    parser.add_argument("--batch", type=int, default=1)
    parser.add_argument("--size", type=int, default=640, help="pixels of a side")
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    parser.add_argument("--plain", action="store_true", help="the model of this file, whatever is installed")
    parser.add_argument("--torch-profiler", action="store_true", help="under PyTorch's own profiler, to compare its cost")
    options = parser.parse_args()
    torch.manual_seed(0)
    model = (None if options.plain else of_transformers()) or Detector()
    model = model.eval().to(options.device)
    with torch.no_grad(), torch_profiler(options.torch_profiler, options.device):
        times = inferences(model, options)
    print(json.dumps({"model": type(model).__name__, "device": options.device,
                      "step_ms": statistics.median(times[len(times) // 3:])}))


if __name__ == "__main__":
    main()
