"""PyTorch's own history of device memory: switched on when CUDA is first used, and written when the process runs out of
memory and when it ends. See docs/record/record.md."""

import atexit
import os
import pickle
import sys

# PyTorch keeps the latest entries; each costs it some hundred bytes and a stack of some kB.
_MAX_ENTRIES = 200_000


class Memory:
    def __init__(self, torch, prefix):
        self._torch = torch
        self._prefix = prefix
        self._pid = None  # of the process whose history is on: a fork has none of its own

    def begin(self):
        """PyTorch calls it when it has initialized CUDA; what it raises would reach the program."""
        try:
            if self._pid == os.getpid():
                return
            self._switch_on()
            self._pid = os.getpid()
            self._write_at_end()
        except Exception as error:
            sys.stderr.write(f"sonde: PyTorch's memory is not recorded: {error!r}\n")

    def _switch_on(self):
        """PyTorch 2.1 and later take words, 2.0 numbers. Earlier versions keep no history."""
        switch = self._torch.cuda.memory._record_memory_history
        try:
            switch(enabled="all", context="all", stacks="python", max_entries=_MAX_ENTRIES)
        except TypeError:
            switch(True, trace_alloc_max_entries=_MAX_ENTRIES, trace_alloc_record_context=True)
        attach = getattr(self._torch._C, "_cuda_attach_out_of_memory_observer", None)
        if attach is not None:
            attach(self._on_shortage)

    def _write_at_end(self):
        """A child of multiprocessing ends without atexit where it was forked."""
        atexit.register(self.write)
        util = sys.modules.get("multiprocessing.util")
        if util is not None:
            util.Finalize(None, self.write, exitpriority=100)

    def _on_shortage(self, *_numbers):
        self.write()

    def write(self):
        """The last file of a process counts."""
        if self._pid != os.getpid():
            return
        try:
            path = f"{self._prefix}.{self._pid}.pickle"
            with open(path + ".part", "wb") as file:
                pickle.dump(self._torch.cuda.memory._snapshot(), file, protocol=4)
            os.replace(path + ".part", path)
        except FileNotFoundError:
            return  # the recorder has left, and has taken its folder with it
        except Exception as error:
            sys.stderr.write(f"sonde: PyTorch's memory was not written: {error!r}\n")


def install(torch, prefix):
    """At once where CUDA is in use already, else when it is: Sonde never initializes it, which would spoil later forks."""
    try:
        torch.cuda._lazy_call(Memory(torch, prefix).begin)
    except Exception as error:
        sys.stderr.write(f"sonde: PyTorch's memory is not recorded: {error!r}\n")
