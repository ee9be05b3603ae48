#!/usr/bin/env python3
"""PyTorch programs with one planted fault each, and with its fix.

    planted.py --list                             cases, their variants and what is wrong, as JSON
    planted.py CASE VARIANT --serve               after each line of standard input: one round, as a line of JSON
    planted.py CASE VARIANT --steps N [--torch-profiler FILE]
                                                  N steps in ranges, between cudaProfilerStart() and -Stop()

--device cpu --tiny runs small sizes without a GPU, to try the programs themselves. A variant that this PyTorch or this
device lacks ends with 3 and the reason."""

import argparse
import contextlib
import json
import os
import re
import sys
import time
from pathlib import Path

import torch
from torch import nn
from torch.nn import functional

CANNOT = 3
WARM_UP = 3
ROUND_S = 0.3
MOST_ITERATIONS = 150


class Unavailable(Exception):
    """Why a variant cannot run here."""


class Run:
    """What a case is built for: a variant, a device, and full or tiny sizes."""

    def __init__(self, variant, device, is_tiny):
        self.variant = variant
        self.device = device
        self.is_tiny = is_tiny

    def fixes(self, name):
        return self.variant in (name, "fixed")

    def size(self, full, tiny):
        return tiny if self.is_tiny else full

    @property
    def is_cuda(self):
        return self.device.startswith("cuda")

    def need_cuda(self, what):
        if not self.is_cuda:
            raise Unavailable(f"{what} needs a GPU")

    def pinned(self, tensor):
        return tensor.pin_memory() if self.is_cuda else tensor


def use_tf32(wanted):
    torch.backends.cuda.matmul.allow_tf32 = wanted


def transformer(run, layers, width, feed_forward):
    layer = nn.TransformerEncoderLayer(width, 8, feed_forward, 0.0, batch_first=True)
    return nn.TransformerEncoder(layer, layers, enable_nested_tensor=False).to(run.device)


def inference(function):
    def step():
        with torch.no_grad():
            return function()
    return step


def in_graph(run, function):
    """The function as one launch of a CUDA graph."""
    run.need_cuda("a CUDA graph")
    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream), torch.no_grad():
        for _ in range(WARM_UP):
            function()
    torch.cuda.current_stream().wait_stream(stream)
    graph = torch.cuda.CUDAGraph()
    with torch.no_grad(), torch.cuda.graph(graph):
        function()
    return graph.replay


def mix(run):
    use_tf32(run.fixes("fix_prec"))
    width = run.size(1024, 64)
    model = transformer(run, run.size(6, 2), width, run.size(4096, 128))
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-4)
    host = torch.rand(run.size(96, 2), run.size(128, 16), width)
    host = run.pinned(host) if run.fixes("fix_copy") else host

    def step():
        data = host.to(run.device, non_blocking=run.fixes("fix_copy"))
        optimizer.zero_grad()
        loss = (model(data) - data).square().mean()
        if not run.fixes("fix_sync"):
            loss.item()
        loss.backward()
        optimizer.step()
    return step


def convolutions(run, layers, width):
    parts = []
    for index in range(layers):
        stride = 2 if index % 2 == 0 else 1
        parts += [nn.Conv2d(3 if index == 0 else width, width, 3, stride, 1), nn.BatchNorm2d(width), nn.ReLU(inplace=True)]
    return nn.Sequential(*parts, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(width, 100)).eval().to(run.device)


def pageable_copy(run):
    model = convolutions(run, run.size(8, 2), run.size(64, 8))
    side = run.size(256, 32)
    host = torch.rand(run.size(64, 2), 3, side, side)
    host = run.pinned(host) if run.fixes("copy") else host
    return inference(lambda: model(host.to(run.device, non_blocking=run.fixes("copy"))))


def graph_infer(run):
    model = transformer(run, run.size(12, 2), run.size(256, 32), run.size(1024, 64)).eval()
    model.requires_grad_(False)
    data = torch.rand(1, run.size(64, 8), run.size(256, 32), device=run.device)
    return in_graph(run, lambda: layers_of(model, data)) if run.fixes("graph") else inference(lambda: layers_of(model, data))


def layers_of(model, data):
    """Layer by layer with autograd's kernels: the fused inference path of PyTorch would hide most of the launches."""
    for layer in model.layers:
        attended = layer.self_attn(data, data, data, need_weights=False)[0]
        data = layer.norm1(data + attended)
        data = layer.norm2(data + layer.linear2(functional.gelu(layer.linear1(data))))
    return data


def alloc_nocache(run):
    model = transformer(run, run.size(6, 2), run.size(512, 32), run.size(2048, 64)).eval()
    data = torch.rand(run.size(8, 2), run.size(256, 8), run.size(512, 32), device=run.device)
    return inference(lambda: layers_of(model, data))


def detector():
    """The model of examples/rtdetr.py: beside this folder in the kit, at the root of the tree otherwise."""
    here = Path(__file__).resolve()
    for root in (here.parents[1], here.parents[3]):
        sys.path.insert(0, str(root / "examples"))
    import rtdetr  # pylint: disable=import-outside-toplevel
    return rtdetr


def rtdetr_b8(run):
    use_tf32(run.variant == "tf32")
    model = detector().Detector().eval().to(run.device)
    images = torch.rand(run.size(8, 1), 3, run.size(640, 64), run.size(640, 64), device=run.device)
    if run.variant == "fixed":
        model, images = model.bfloat16(), images.bfloat16()
    return inference(lambda: model(images))


class Attention(nn.Module):
    """A block of a transformer, with attention written out or fused."""

    def __init__(self, width, heads, is_fused):
        super().__init__()
        self.heads, self.is_fused = heads, is_fused
        self.norm, self.out_norm = nn.LayerNorm(width), nn.LayerNorm(width)
        self.inputs, self.output = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.feed_forward = nn.Sequential(nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width))

    def forward(self, x):
        batch, count, width = x.shape
        parts = self.inputs(self.norm(x)).view(batch, count, 3, self.heads, width // self.heads)
        query, key, value = (parts[:, :, i].transpose(1, 2) for i in range(3))
        if self.is_fused:
            mixed = functional.scaled_dot_product_attention(query, key, value)
        else:
            scores = torch.matmul(query, key.transpose(-2, -1)) * (width // self.heads) ** -0.5
            mixed = torch.matmul(functional.softmax(scores, -1), value)
        x = x + self.output(mixed.transpose(1, 2).reshape(batch, count, width))
        return x + self.feed_forward(self.out_norm(x))


def attention_eager(run):
    use_tf32(True)
    is_fused = run.fixes("fused")
    if is_fused and not hasattr(functional, "scaled_dot_product_attention"):
        raise Unavailable(f"PyTorch {torch.__version__} has no scaled_dot_product_attention")
    width = run.size(512, 32)
    model = nn.Sequential(*(Attention(width, 8, is_fused) for _ in range(run.size(8, 2)))).to(run.device)
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-4)
    data = torch.rand(run.size(4, 1), run.size(1024, 16), width, device=run.device)
    lowered = torch.autocast(run.device.split(":")[0], torch.bfloat16)

    def step():
        optimizer.zero_grad()
        with lowered:
            loss = model(data).float().square().mean()
        loss.backward()
        optimizer.step()
    return step


def pointwise(x):
    for _ in range(6):
        x = torch.tanh(x * 1.01 + 0.1)
        x = torch.sigmoid(x) - 0.2
        x = (x * 0.99).clamp(-1, 1) * 1.02
    return x


def elementwise_big(run):
    data = torch.rand(run.size(16 << 20, 1 << 10), device=run.device)
    if not run.fixes("fusion"):
        return inference(lambda: pointwise(data))
    if not hasattr(torch, "compile"):
        raise Unavailable(f"PyTorch {torch.__version__} has no torch.compile")
    run.need_cuda("torch.compile here")
    fused = torch.compile(pointwise)
    return inference(lambda: fused(data))


def resnet50_nchw(run):
    layout = torch.channels_last if run.fixes("layout") else torch.contiguous_format
    backbone = detector().Backbone(run.size((3, 4, 6, 3), (1, 1, 1, 1)))
    head = nn.Linear(2048, 1000)
    model = nn.ModuleList([backbone, head]).to(run.device, memory_format=layout)
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-4)
    side = run.size(224, 32)
    images = torch.rand(run.size(64, 2), 3, side, side, device=run.device).to(memory_format=layout)
    lowered = torch.autocast(run.device.split(":")[0], torch.bfloat16)

    def step():
        optimizer.zero_grad()
        with lowered:
            loss = head(backbone(images)[-1].mean((2, 3))).float().square().mean()
        loss.backward()
        optimizer.step()
    return step


def work_on(result, seconds):
    """What a program does with a result on the host."""
    until = time.perf_counter() + seconds
    total = 0.0
    while time.perf_counter() < until:
        total += float(result[0, 0])
    return total


def sync_cpu(run):
    model = convolutions(run, run.size(4, 2), run.size(64, 8))
    images = torch.rand(run.size(64, 2), 3, run.size(256, 32), run.size(256, 32), device=run.device)
    host_s = run.size(0.003, 0.0003)
    if not run.fixes("order"):
        return inference(lambda: work_on(model(images).cpu(), host_s))
    run.need_cuda("reading the result of the step before")
    slots = [(torch.empty(images.shape[0], 100, pin_memory=True), torch.cuda.Event()) for _ in range(2)]
    state = {"step": 0}

    def step():
        current, before = slots[state["step"] % 2], slots[(state["step"] + 1) % 2]
        current[0].copy_(model(images), non_blocking=True)
        current[1].record()
        if state["step"] > 0:
            before[1].synchronize()
            work_on(before[0], host_s)
        state["step"] += 1
    return inference(step)


def gemm_saturated(run):
    side = run.size(8192, 64)
    a, b = (torch.rand(side, side, device=run.device).to(torch.bfloat16) for _ in range(2))

    def products():
        for _ in range(4):
            torch.mm(a, b)
    return in_graph(run, products) if run.variant == "graph" else inference(products)


class Case:
    """`variants`: the first one has the fault, the others are compared with it. `environment`: of a variant's process."""

    def __init__(self, build, steps, wrong, fix, variants=("bad", "fixed"), environment=None):
        self.build, self.steps, self.wrong, self.fix = build, steps, wrong, fix
        self.variants, self.environment = variants, environment or {}

    def described(self):
        return {"kind": "timeline", "variants": self.variants, "steps": self.steps, "wrong": self.wrong, "fix": self.fix}


CASES = {
    "mix": Case(mix, 10, "three at once: pageable input of 48 MB a step, loss.item() between forward and backward, matmul in "
                "float32 without TF32", "each alone (fix_copy, fix_sync, fix_prec), and all (fixed)",
                ("bad", "fix_copy", "fix_sync", "fix_prec", "fixed")),
    "pageable_copy": Case(pageable_copy, 12, "input of 50 MB a step copied from pageable memory",
                          "pin_memory() and non_blocking=True"),
    "graph_infer": Case(graph_infer, 12, "inference of a small transformer, batch 1: the host cannot launch fast enough",
                        "one CUDA graph"),
    "alloc_nocache": Case(alloc_nocache, 6, "the caching allocator is off (PYTORCH_NO_CUDA_MEMORY_CACHING=1): cudaMalloc and "
                          "cudaFree in each step", "leave it on", environment={"bad": {"PYTORCH_NO_CUDA_MEMORY_CACHING": "1"}}),
    "rtdetr_b8": Case(rtdetr_b8, 6, "RT-DETR, batch 8, float32: convolutions in TF32 by default, matrix products in float32",
                      "fixed: bfloat16; tf32: matrix products in TF32", ("bad", "fixed", "tf32")),
    "attention_eager": Case(attention_eager, 8, "attention written out: product, scale, softmax, product (1024 x 1024 scores)",
                            "scaled_dot_product_attention"),
    "elementwise_big": Case(elementwise_big, 10, "48 pointwise operations over 64 MB each, one kernel each: memory-bound, the "
                            "GPU is busy all the time", "torch.compile (one kernel)"),
    "resnet50_nchw": Case(resnet50_nchw, 5, "ResNet-50 training in autocast bfloat16 with NCHW tensors: cuDNN converts layouts",
                          "channels_last"),
    "sync_cpu": Case(sync_cpu, 12, "each step waits for its result (.cpu()), then the host works on it for 3 ms while the GPU "
                     "idles", "read the result of the step before (pinned memory, event)"),
    "gemm_saturated": Case(gemm_saturated, 12, "nothing: bfloat16 products of 8192^3 back to back; the GPU is busy",
                           "none; `graph` must save nothing", ("asis", "graph")),
}


def wait(run):
    if run.is_cuda:
        torch.cuda.synchronize()


def measured(run, step, iterations):
    """Milliseconds an iteration: until the GPU is done, between CUDA events, and until the host is done."""
    events = [torch.cuda.Event(enable_timing=True) for _ in range(2)] if run.is_cuda else []
    wait(run)
    began = time.perf_counter()
    if events:
        events[0].record()
    for _ in range(iterations):
        step()
    host_s = time.perf_counter() - began
    if events:
        events[1].record()
    wait(run)
    wall_s = time.perf_counter() - began
    found = {"wall_ms": wall_s * 1e3 / iterations, "host_ms": host_s * 1e3 / iterations}
    if events:
        found["event_ms"] = events[0].elapsed_time(events[1]) / iterations
    return found


def serve(run, step):
    """A round for each line that comes in."""
    measured(run, step, WARM_UP)
    once_ms = measured(run, step, WARM_UP)["wall_ms"]
    iterations = max(2, min(MOST_ITERATIONS, int(ROUND_S * 1e3 / once_ms)))
    print(json.dumps({"iterations": iterations}), flush=True)
    for _ in sys.stdin:
        print(json.dumps(measured(run, step, iterations)), flush=True)


@contextlib.contextmanager
def profiled(run, path, steps):
    """Yields what is called after each step."""
    if path is None:
        yield lambda: None
        return
    kinds = torch.profiler.ProfilerActivity
    schedule = torch.profiler.schedule(wait=0, warmup=WARM_UP, active=steps)
    with torch.profiler.profile(activities=[kinds.CPU] + [kinds.CUDA] * run.is_cuda, schedule=schedule, record_shapes=True,
                                on_trace_ready=lambda profile: profile.export_chrome_trace(path)) as profile:
        yield profile.step


@contextlib.contextmanager
def step_range(run):
    if run.is_cuda:
        torch.cuda.nvtx.range_push("step")
    yield
    if run.is_cuda:
        torch.cuda.nvtx.range_pop()


def run_steps(run, step, steps, path):
    """The host's milliseconds a step: what a profile of these steps shows."""
    measured(run, step, WARM_UP)
    times = []
    with profiled(run, path, steps) as after_step:
        for index in range(steps + (WARM_UP if path else 0)):
            if index == (WARM_UP if path else 0) and run.is_cuda:
                wait(run)
                torch.cuda.cudart().cudaProfilerStart()
            began = time.perf_counter()
            with step_range(run):
                step()
            after_step()
            times.append((time.perf_counter() - began) * 1e3)
        wait(run)
        if run.is_cuda:
            torch.cuda.cudart().cudaProfilerStop()
    times = sorted(times[-steps:])
    print(json.dumps({"profiled_steps": steps, "profiled_ms": times[len(times) // 2]}))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("case", nargs="?", choices=CASES)
    parser.add_argument("variant", nargs="?")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--serve", action="store_true")
    parser.add_argument("--steps", type=int)
    parser.add_argument("--torch-profiler", metavar="FILE")
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--tiny", action="store_true")
    options = parser.parse_args()
    if options.list:
        print(json.dumps({name: case.described() for name, case in CASES.items()}))
        return 0
    case = CASES[options.case or parser.error("no case given")]
    if options.variant not in case.variants:
        parser.error(f"the variants of {options.case} are {', '.join(case.variants)}")
    os.environ.update(case.environment.get(options.variant, {}))  # read when CUDA is first used
    torch.manual_seed(0)
    run = Run(options.variant, options.device, options.tiny)
    try:
        step = case.build(run)
        step()
    except (Unavailable, RuntimeError) as reason:
        is_lacking = isinstance(reason, Unavailable) or re.search("not implemented|out of memory", str(reason))
        if not is_lacking:
            raise
        print(reason, file=sys.stderr)
        return CANNOT
    if options.serve:
        serve(run, step)
    else:
        run_steps(run, step, options.steps or case.steps, options.torch_profiler)
    return 0


if __name__ == "__main__":
    sys.exit(main())
