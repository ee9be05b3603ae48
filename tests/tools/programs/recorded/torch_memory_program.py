"""A training step on a stand-in for PyTorch with an allocator: torch_memory_program.py OUTCOME, `ends`, `oom` or `forks`.

The stand-in has what Sonde's hooks touch, and keeps a history as torch.cuda.memory does since PyTorch 2.1 (2.0 with
STAND_IN_TORCH=2.0). Every size is a power of two, so that a sum tells its parts."""

import os
import sys
import time
import types


def stand_in(version):
    torch = types.ModuleType("torch")
    torch.__file__ = "/stand_in/torch/__init__.py"  # frames in that folder are not the program
    torch.is_grad_enabled = lambda: False
    torch.Tensor = type("Tensor", (), {})

    class Module:
        def __init__(self):
            self._modules = {}

        def __setattr__(self, name, value):
            if isinstance(value, Module):
                self._modules[name] = value
            object.__setattr__(self, name, value)

        def named_children(self):
            return self._modules.items()

        def modules(self):
            yield self
            for child in self._modules.values():
                yield from child.modules()

        def named_modules(self, prefix=""):
            yield prefix, self
            for name, child in self._modules.items():
                yield from child.named_modules(f"{prefix}.{name}" if prefix else name)

        def parameters(self, recurse=True):
            return iter(())

        def _replicate_for_data_parallel(self):
            return self

        def __call__(self, *args):
            return self.forward(*args)

    torch.nn = types.SimpleNamespace(Module=Module)
    engine = types.SimpleNamespace(queue_callback=lambda callback: None)
    torch.autograd = types.SimpleNamespace(backward=lambda *args: None, grad=lambda *args: None,
                                           Variable=types.SimpleNamespace(_execution_engine=engine))
    torch.optim = types.SimpleNamespace(Optimizer=type("Optimizer", (), {"__init__": lambda self: None}))
    torch.cuda = Cuda(torch, version)
    return torch


class Cuda:
    """Addresses are given out once; a segment holds them all."""

    SEGMENT, START = 1 << 30, 0x7F0000000000

    def __init__(self, torch, version):
        self.memory = types.SimpleNamespace(_snapshot=self.snapshot)
        self.memory._record_memory_history = self.numbers if version == "2.0" else self.words
        torch._C = types.SimpleNamespace(_cuda_attach_out_of_memory_observer=self.attach)
        self.queued, self.observers, self.history = [], [], None
        self.next, self.live = self.START, {}

    def _lazy_call(self, function):
        self.queued.append(function)

    def initialize(self):
        for function in self.queued:
            function()

    def words(self, enabled="all", context="all", stacks="all", max_entries=sys.maxsize):
        assert (enabled, context, stacks) == ("all", "all", "python") and max_entries > 1000
        self.history = []

    def numbers(self, enabled, record_context=True, trace_alloc_max_entries=1, trace_alloc_record_context=False):
        assert enabled is True and trace_alloc_record_context and trace_alloc_max_entries > 1000
        self.history = []

    def attach(self, observer):
        self.observers.append(observer)

    def add(self, action, address, size, **more):
        if self.history is None:
            return
        frame, frames = sys._getframe(2), []
        while frame is not None:
            frames.append({"name": frame.f_code.co_name, "filename": frame.f_code.co_filename, "line": frame.f_lineno})
            frame = frame.f_back
        entry = {"action": action, "size": size, "stream": 0, "time_us": time.time_ns() // 1000, "frames": frames}
        self.history.append(entry | ({"addr": address} if address is not None else {}) | more)

    def allocate(self, size):
        address = self.next
        self.next += size
        if self.next > self.START + self.SEGMENT:
            self.add("oom", None, size, device_free=1 << 20)
            for observer in self.observers:
                observer(0, size, self.SEGMENT, 1 << 20)
            raise MemoryError("CUDA out of memory")
        self.live[address] = size
        self.add("alloc", address, size)
        return address

    def free(self, address):
        size = self.live.pop(address)
        self.add("free_requested", address, size)
        self.add("free_completed", address, size)

    def snapshot(self):
        blocks, at = [], self.START
        for address, size in sorted(self.live.items()) + [(self.START + self.SEGMENT, 0)]:
            if address > at:
                blocks.append({"address": at, "size": address - at, "requested_size": address - at, "state": "inactive",
                               "frames": []})
            if size:
                blocks.append({"address": address, "size": size, "requested_size": size, "state": "active_allocated",
                               "frames": []})
            at = address + size
        segment = {"device": 0, "address": self.START, "total_size": self.SEGMENT, "blocks": blocks, "stream": 0,
                   "segment_type": "large", "allocated_size": sum(self.live.values()), "frames": []}
        return {"segments": [segment], "device_traces": [list(self.history or [])]}


def program(torch, outcome):
    kept = []

    class Layer(torch.nn.Module):
        def __init__(self, size):
            super().__init__()
            self.size = size

        def forward(self):
            time.sleep(0.002)
            kept.append(torch.cuda.allocate(self.size))
            time.sleep(0.002)

    class Net(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.first = Layer(1 << 20)
            self.second = Layer(1 << 21)

        def forward(self):
            self.first()
            self.second()

    if outcome == "forks" and os.fork() > 0:
        os.wait()
    early = torch.cuda.allocate(1 << 22)
    torch.cuda.initialize()
    net = Net()
    net()
    net()
    torch.cuda.free(kept.pop(0))
    if outcome == "oom":
        torch.cuda.allocate(1 << 31)
    torch.cuda.free(early)


def main():
    # The import by a finder is what Sonde's hooks wait for.
    import importlib.machinery

    class Finder:
        @staticmethod
        def find_spec(name, path=None, target=None):
            return importlib.machinery.ModuleSpec(name, Loader()) if name == "torch" else None

    class Loader:
        def create_module(self, spec):
            return stand_in(os.environ.get("STAND_IN_TORCH", "2.1"))

        def exec_module(self, module):
            pass

    sys.meta_path.append(Finder)
    import torch
    program(torch, sys.argv[1])
    print("done")


if __name__ == "__main__":
    main()
