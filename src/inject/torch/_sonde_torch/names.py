"""Names of modules, by the way that they were called on: model.backbone.layer1.0.conv1."""

import sys
import weakref

# Those that hold the module proper: as in the names of its parameters that people know, they are no part of the name.
_WRAPPERS = {"DataParallel": "module", "DistributedDataParallel": "module",
             "FullyShardedDataParallel": "_fsdp_wrapped_module", "CheckpointWrapper": "_checkpoint_wrapped_module",
             "OptimizedModule": "_orig_mod"}
_MOST_FRAMES = 8
_KEEPS_LOCALS = sys.version_info < (3, 13)
_OPTIMIZED = 1  # of co_flags: a function, not a module or a class
_REFERENCES = 3  # to a frame's dictionary: the frame's, the variable's and that of sys.getrefcount()
# As many modules of a class may be made within one and called before they are no longer looked for by name.
_MOST_UNKNOWN = 8


class Call:
    """A module, called within another one: what a range needs. Two places that share a module have two of them."""

    __slots__ = ("calls", "entered", "module", "name", "number", "path", "trained", "unknown", "_backward",
                 "_label", "_library")

    def __init__(self, library, module, name, around):
        self._library = library
        self.module = weakref.ref(module)
        self.name = name
        self._label = name + _kind_of_wrapper(module)
        self.number = library.number(self._label)
        self.path = (*around.path, self)
        self.calls = {}  # by id, while that module lives
        self.entered = None  # what backward.py hangs on gradients
        self.trained = False
        self.unknown = {}  # how many modules of a class had no name here
        self._backward = None

    @property
    def backward(self):
        """The number of the range of its backward pass."""
        if self._backward is None:
            self._backward = self._library.number("backward " + self._label)
        return self._backward


class Outside:
    """Where the outermost modules are called. It knows all others too: they are called again when autograd computes their
    outputs a second time."""

    path = ()
    name = ""

    def __init__(self):
        self.calls = {}


class Names:
    def __init__(self, library, package_folder):
        self._library = library
        self._package_folder = package_folder  # of torch: its functions know modules by names of their own
        self.outside = Outside()

    def find(self, module, around):
        """The Call of a module that `around` calls for the first time. The program's frame is the fourth one out."""
        name = self._root_name(module) if around is self.outside else _inner_name(module, around)
        call = Call(self._library, module, name, around)
        _keep(around.calls, module, call)
        if around is not self.outside:
            _keep(self.outside.calls, module, call)
        return call

    def _root_name(self, module):
        """The variable that the caller has it in, or its class."""
        frame = sys._getframe(4)
        for _ in range(_MOST_FRAMES):
            if frame is None:
                break
            if not frame.f_code.co_filename.startswith(self._package_folder):
                name = _variable(module, frame)
                if name is not None:
                    return name
            frame = frame.f_back
        return type(module).__name__


def copy_names(names, replica, module):
    """A copy that DataParallel made goes by the names of its original."""
    call = names.outside.calls.get(id(module))
    if call is not None:
        _keep(names.outside.calls, replica, call)


def _keep(calls, module, call):
    key = id(module)
    calls[key] = call
    weakref.finalize(module, calls.pop, key, None).atexit = False


def _variable(module, frame):
    variables = frame.f_locals
    try:
        return _key_of(module, variables) or _key_of(module, frame.f_globals) or _attribute(module, variables.get("self"))
    finally:
        # Until Python 3.13 a function's frame keeps this dictionary, and all that it holds, until the function returns.
        # One that the program has from locals() is the program's, and names that exec() made stand nowhere else.
        if _KEEPS_LOCALS and frame.f_code.co_flags & _OPTIMIZED and sys.getrefcount(variables) == _REFERENCES:
            code = frame.f_code
            for name in code.co_varnames + code.co_cellvars + code.co_freevars:
                variables.pop(name, None)


def _key_of(module, values):
    for name, value in list(values.items()):
        if value is module and name != "self":
            return name
    return None


def _attribute(module, owner):
    return _key_of(module, getattr(owner, "__dict__", {})) or _key_of(module, getattr(owner, "_modules", {}))


def _kind_of_wrapper(module):
    kind = type(module).__name__
    return f" ({kind})" if kind in _WRAPPERS else ""


def _inner_name(module, around):
    kind = type(module).__name__
    met = around.unknown.get(kind, 0)
    if met < _MOST_UNKNOWN:
        for outer in reversed(around.path):
            top = outer.module()
            inner = None if top is None else _path_to(module, top)
            if inner is not None:
                return ".".join([outer.name, *inner])
        around.unknown[kind] = met + 1
    return f"{around.name}.{kind}"


def _path_to(wanted, top):
    """The keys from one module to another that it holds."""
    if wanted is top:
        return []
    seen = {id(top)}
    waiting = [(top, [])]
    for module, path in waiting:
        skipped = _WRAPPERS.get(type(module).__name__)
        for key, child in list(module._modules.items()):
            if child is None or id(child) in seen:
                continue
            seen.add(id(child))
            inner = path if key == skipped else [*path, key]
            if child is wanted:
                return inner
            waiting.append((child, inner))
    return None
