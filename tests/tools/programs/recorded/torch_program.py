"""A PyTorch program for `sonde record --torch-modules`: torch_program.py PART. It prints what it computed, bit by bit, and
what it did by its own count."""

import json
import pickle
import sys
import threading
import weakref
from collections import Counter

import torch
from torch import nn
from torch.utils.checkpoint import checkpoint

torch.manual_seed(7)
torch.set_num_threads(1)


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Linear(8, 8)
        self.act = nn.ReLU(inplace=True)
        self.second = nn.Linear(8, 8)

    def forward(self, x):
        return self.second(self.act(self.first(x))) + torch.tanh(x)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(Block(), Block())
        self.shared = self.body[0].first  # under two names
        self.head = nn.Linear(8, 1)

    def forward(self, x):
        return self.head(torch.relu_(self.shared(self.body(x))))


class Recursive(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = nn.Linear(8, 8)

    def forward(self, x, depth=3):
        return self(self.inner(x), depth - 1) if depth else x


class Failing(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = nn.Linear(8, 8)

    def forward(self, x):
        self.inner(x)
        raise ValueError("on purpose")


class Checkpointed(nn.Module):
    def __init__(self, reentrant):
        super().__init__()
        self.block = Block()
        self.head = nn.Linear(8, 1)
        self.reentrant = reentrant

    def forward(self, x):
        return self.head(checkpoint(self.block, x, use_reentrant=self.reentrant))


class Packed(nn.Module):
    """Outputs in structures, and a module that is made when it is called."""

    def __init__(self):
        super().__init__()
        self.lstm = nn.LSTM(8, 8)

    def forward(self, x):
        out, (h, c) = self.lstm(x)
        return {"out": nn.Softmax(dim=-1)(out), "state": [h, c]}


class Doubled(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def backward(ctx, gradient):
        return gradient * 2


class Custom(nn.Module):
    def forward(self, x):
        return Doubled.apply(x)


def show(*tensors):
    for tensor in tensors:
        print([value.hex() for value in tensor.detach().flatten().tolist()])


def train(model, steps, evaluate_after=()):
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    for step in range(steps):
        optimizer.zero_grad()
        loss = model(torch.randn(4, 8)).pow(2).mean()
        loss.backward()
        optimizer.step()
        show(loss)
        if step in evaluate_after:
            model.eval()
            with torch.no_grad():
                show(model(torch.randn(4, 8)))
            model.train()
    show(*model.parameters())


def plain():
    model = Net()
    counts = Counter()
    for name, module in model.named_modules():
        module.register_forward_hook(lambda *_, name=name: counts.update([name]))
    train(model, 6, evaluate_after=(2,))
    print("counted", json.dumps(counts))


def recursive():
    net = Recursive()
    net(torch.randn(2, 8)).sum().backward()
    show(net.inner.weight.grad)


def failing():
    net = Failing()
    for _ in range(3):
        try:
            net(torch.randn(2, 8))
        except ValueError as error:
            print(error)
    x = net.inner(torch.randn(2, 8))
    x.register_hook(lambda _: 1 / 0)
    try:
        x.sum().backward()
    except ZeroDivisionError as error:
        print(error)
    net.inner(torch.randn(2, 8)).sum().backward()
    show(net.inner.weight.grad)


def checkpointed():
    for reentrant in (True, False):
        net = Checkpointed(reentrant)
        x = torch.randn(4, 8, requires_grad=True)
        net(x).sum().backward()
        show(x.grad, net.block.first.weight.grad)


def packed():
    net = Packed()
    for _ in range(20):
        result = net(torch.randn(3, 2, 8))
    (result["out"].sum() + sum(s.sum() for s in result["state"])).backward()
    show(net.lstm.weight_ih_l0.grad)
    custom = Custom()
    x = torch.ones(3, requires_grad=True)
    custom(x).sum().backward()
    show(x.grad)
    gradient, = torch.autograd.grad(custom(x).pow(3).sum(), x, create_graph=True)
    gradient.sum().backward()  # through the backward pass
    show(x.grad)


def wrapped():
    parallel = nn.DataParallel(Net())
    show(parallel(torch.randn(2, 8)))
    traced = torch.jit.trace(Net().eval(), torch.randn(2, 8))
    scripted = torch.jit.script(Block())
    show(traced(torch.randn(2, 8)), scripted(torch.randn(2, 8)))
    symbolic = torch.fx.symbolic_trace(Net())
    show(symbolic(torch.randn(2, 8)))


def threads():
    model = Net()

    def run():
        for _ in range(50):
            with torch.no_grad():
                model(torch.ones(2, 8))
        model(torch.ones(2, 8)).sum().backward()

    all_threads = [threading.Thread(target=run) for _ in range(4)]
    for thread in all_threads:
        thread.start()
    for thread in all_threads:
        thread.join()
    print("done")


class Augmented(torch.utils.data.Dataset):
    def __init__(self):
        self.augment = nn.Linear(8, 8)

    def __len__(self):
        return 6

    def __getitem__(self, index):
        with torch.no_grad():
            return self.augment(torch.full((8,), float(index)))


def _in_a_process(rank):
    net = nn.Linear(8, 8)
    net(torch.ones(8)).sum().backward()


def processes():
    dataset = Augmented()
    for batch in torch.utils.data.DataLoader(dataset, batch_size=2, num_workers=2):
        show(batch)
    torch.multiprocessing.spawn(_in_a_process, nprocs=2)
    print("done")


def two_optimizers():
    model, other = Net(), nn.Linear(8, 1)
    first, second = torch.optim.SGD(model.parameters(), lr=0.1), torch.optim.SGD(other.parameters(), lr=0.1, momentum=0.5)
    schedule = torch.optim.lr_scheduler.StepLR(first, 2)
    for _ in range(4):
        for optimizer, net in ((second, other), (first, model)):
            net(torch.randn(4, 8)).sum().backward()
            optimizer.step()
        schedule.step()
    show(*model.parameters())


class Hidden(nn.Module):
    """Its part of the tree cannot be looked at."""

    def __init__(self):
        super().__init__()
        self.inner = nn.Linear(8, 8)
        self.looked = False

    def __getattribute__(self, name):
        if name == "_modules" and sys._getframe(1).f_code.co_name == "_path_to":
            raise RuntimeError("hidden")
        return super().__getattribute__(name)

    def forward(self, x):
        return self.inner(x)


def hidden():
    net = Hidden()
    for _ in range(2):
        show(net(torch.ones(1, 8)))


def short_lived():
    """What a training function held when it first called a module, here the loss, is gone with the iteration."""
    net, criterion, outputs = Net(), nn.MSELoss(), []
    for _ in range(2):
        output = net(torch.rand(4, 8))
        outputs.append(weakref.ref(output))
        criterion(output, torch.ones(4, 1)).backward()
        del output
        print([one() is None for one in outputs])
    wrapped = Held()
    print(wrapped(torch.ones(1, 8)).sum() == wrapped.inner(torch.ones(1, 8)).sum(), sorted(wrapped.seen))


class Held:
    """A function that keeps what locals() gave it, with a name of its own in there."""

    def __init__(self):
        self.inner = nn.Linear(8, 8)

    def __call__(self, x):
        self.seen = locals()
        self.seen["own"] = 1
        return self.inner(x)


def gradient(x: torch.Tensor):
    return torch.autograd.grad([(x * x).sum()], [x])


def derived():
    """A scripted function finds autograd's own; so does pickle."""
    net = Net()
    show(net(torch.ones(1, 8)))
    scripted = torch.jit.script(gradient)
    print("aten::grad" in str(scripted.graph))
    show(*scripted(torch.ones(3, requires_grad=True)))
    for function in (torch.autograd.grad, torch.autograd.backward):
        print(pickle.loads(pickle.dumps(function)) is function, function.__module__, function.__qualname__)


def distributed():
    import os
    os.environ.update(MASTER_ADDR="127.0.0.1", MASTER_PORT="0")
    store = torch.distributed.HashStore()
    torch.distributed.init_process_group("gloo", store=store, rank=0, world_size=1)
    train(nn.parallel.DistributedDataParallel(Net()), 2)
    torch.distributed.destroy_process_group()


if __name__ == "__main__":
    globals()[sys.argv[1]]()
