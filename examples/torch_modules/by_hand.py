"""Ranges for the modules and steps of a PyTorch program, by hand: what `sonde record --torch-modules` does to a program
that does not have them. Run it under a recorder:

    sonde record -t nvtx -o run.sqlite -- python by_hand.py
    nsys profile -t cuda,nvtx python by_hand.py

It takes a PyTorch with CUDA, whose torch.cuda.nvtx has NVTX; another one says so and trains without ranges.
"""

import torch
from torch import nn


def has_nvtx():
    try:
        torch.cuda.nvtx.mark("start")
    except RuntimeError as error:
        print(f"no ranges: {error}")
        return False
    return True


def mark_modules(model, name):
    """A range `name.path.of.module` for each forward call. One that raises leaves its range open: hooks are not told."""

    def begin(label):
        return lambda module, inputs: torch.cuda.nvtx.range_push(label) and None

    def end(module, inputs, output):
        torch.cuda.nvtx.range_pop()

    for path, module in model.named_modules():
        module.register_forward_pre_hook(begin(f"{name}.{path}" if path else name))
        module.register_forward_hook(end)


class Block(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.norm = nn.LayerNorm(width)
        self.up = nn.Linear(width, 4 * width)
        self.down = nn.Linear(4 * width, width)

    def forward(self, x):
        return x + self.down(torch.relu(self.up(self.norm(x))))


def train(device, steps, marked):
    model = nn.Sequential(*[Block(256) for _ in range(4)], nn.Linear(256, 10)).to(device)
    if marked:
        mark_modules(model, "model")
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    for step in range(steps):
        if marked:
            torch.cuda.nvtx.range_push(f"step {step}")
        optimizer.zero_grad()
        loss = model(torch.randn(64, 256, device=device)).square().mean()
        loss.backward()
        optimizer.step()
        if marked:
            torch.cuda.nvtx.range_pop()
    print(f"loss {loss.item():.4f}")


if __name__ == "__main__":
    train("cuda" if torch.cuda.is_available() else "cpu", 20, has_nvtx())
