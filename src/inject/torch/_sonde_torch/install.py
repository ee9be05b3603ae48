"""Puts what makes the ranges in its place."""

import functools
import os
import sys

from _sonde_torch import memory, on_import
from _sonde_torch.backward import Backward
from _sonde_torch.library import Library
from _sonde_torch.modules import Place, patched_call
from _sonde_torch.names import Names, copy_names
from _sonde_torch.steps import Steps


class Shim:
    """Everything there is of a process."""

    def __init__(self, torch, library):
        self.torch = torch
        self.library = library
        self.off = False
        self.names = Names(library, os.path.dirname(os.path.abspath(torch.__file__)) + os.sep)
        self.place = Place(self.names.outside)
        self.steps = Steps(library, self.place, self.names.outside)
        self.backward = Backward(torch, library, self.place, self.fail)

    def find(self, module, around):
        try:
            return self.names.find(module, around)
        except Exception as error:
            self.fail(error)
            return None

    def fail(self, error):
        """Ranges that are open still end; no other begins."""
        if self.off:
            return
        self.off = True
        text = f"sonde: no modules are recorded from here on: {error!r}"
        self.library.mark(text)
        sys.stderr.write(text + "\n")


def install(library_path):
    library = Library(library_path)
    if not library.attached:
        return
    import torch
    prefix = os.environ.get("SONDE_TORCH_MEMORY")
    if prefix:
        memory.install(torch, prefix)
    shim = Shim(torch, library)
    is_compiling = _is_compiling(torch)
    module = torch.nn.Module
    call = patched_call(module.__call__, shim, is_compiling)
    on_import.after("torch._dynamo.eval_frame", functools.partial(_leave_out_of_compilation, call.__code__))
    module.__call__ = functools.wraps(module.__call__)(call)
    module._replicate_for_data_parallel = _replicate(module._replicate_for_data_parallel, shim)
    for name in ("backward", "grad"):
        run = shim.backward.around(getattr(torch.autograd, name), is_compiling)
        setattr(torch.autograd, name, run)
        _tell_compiler_of_scripts(torch, run, name)
    _follow_optimizers(torch.optim.Optimizer, shim, is_compiling)


def _tell_compiler_of_scripts(torch, run, name):
    """torch.jit.script knows the functions that it has an operator for by their identity."""
    try:
        torch.jit._builtins._register_builtin(run, f"aten::{name}")
    except Exception:  # another version's compiler, which knows them some other way
        return


def _leave_out_of_compilation(code):
    """A compiled module begins with the frame of its forward(), as if there were none around it."""
    skip_code = getattr(sys.modules["torch._dynamo.eval_frame"], "skip_code", None)
    if skip_code is not None:
        skip_code(code)


def _is_compiling(torch):
    """Known to the compiler of PyTorch 2.1 and later as a constant."""
    compiler = getattr(torch, "compiler", None)
    return getattr(compiler, "is_compiling", None) or (lambda: False)


def _replicate(original, shim):
    @functools.wraps(original)
    def replicate(self):
        replica = original(self)
        copy_names(shim.names, replica, self)
        return replica

    return replicate


def _follow_optimizers(optimizer, shim, is_compiling):
    """A class's step() is followed when the first optimizer of the class is made: PyTorch has wrapped it by then."""
    original = optimizer.__init__

    @functools.wraps(original)
    def init(self, *args, **kwargs):
        original(self, *args, **kwargs)
        step = type(self).step
        if not hasattr(step, "followed_by_sonde"):
            type(self).step = functools.wraps(step)(shim.steps.around(step, is_compiling))
            type(self).step.followed_by_sonde = True

    optimizer.__init__ = init
