"""Ranges of the backward pass: "backward NAME" while gradients of what a module computed are computed.

Each node of autograd's graph that ends a module's part of it is taken for that module once, innermost first. What runs
when the gradient arrives there closes the ranges of other modules and opens those down to this one. A node that a module
is called with and that nothing has taken yet is the work of the function between two modules: it is the calling one's.
The values and the nodes themselves stay as they are: no output is replaced, so that it may be changed in place.
"""

from functools import partial

_MARK = "sonde"  # in the node's own dictionary for notes
_MOST_TENSORS = 16  # of one call


class Backward:
    def __init__(self, torch, library, place, fail):
        self._tensor = torch.Tensor
        self._engine = torch.autograd.Variable._execution_engine
        self._library = library
        self._place = place
        self._fail = fail
        self._whole = library.number("backward")
        self._generation = 0

    def take_arguments(self, arguments, around):
        """What reaches a module by position: named arguments are seldom what it computes on."""
        self._take(arguments, around)

    def take_results(self, result, call):
        self._take((result,), call)

    def _take(self, values, call):
        try:
            for tensor in values if len(values) == 1 and isinstance(values[0], self._tensor) else self._tensors(values):
                node = tensor.grad_fn
                if node is None or _MARK in node.metadata:
                    continue
                node.metadata[_MARK] = True
                if call.entered is None:
                    call.entered = _Entered(partial(self._enter, call))
                _hang(tensor, node, call.entered)
        except Exception as error:
            self._fail(error)

    def _tensors(self, values):
        found = []
        waiting = list(values)[:_MOST_TENSORS]
        for value in waiting:
            if isinstance(value, self._tensor):
                found.append(value)
            elif isinstance(value, (list, tuple)):
                waiting.extend(value[: _MOST_TENSORS - len(waiting)])
            elif isinstance(value, dict):
                waiting.extend(list(value.values())[: _MOST_TENSORS - len(waiting)])
        return found

    def _enter(self, call):
        """A gradient has arrived at what `call` computed, on this thread."""
        place = self._place
        if place.open and not place.inside and place.generation != self._generation:
            self._close(place)  # of a pass that has ended elsewhere
        if not place.open:
            place.base = place.call
            place.generation = self._generation
            if not place.inside:
                self._engine.queue_callback(self._close_here)
        elif place.call is not place.base:
            return  # a module runs within the pass, and another pass within that
        self._go_to(place.open, call)

    def _go_to(self, open_calls, call):
        path = call.path
        same = 0
        for mine, wanted in zip(open_calls, path):
            if mine is not wanted:
                break
            same += 1
        while len(open_calls) > same:
            open_calls.pop()
            self._library.pop()
        for outer in path[same:]:
            self._library.push(outer.backward)
            open_calls.append(outer)

    def _close_here(self):
        self._close(self._place)

    def _close(self, place):
        while place.open:
            place.open.pop()
            self._library.pop()

    def around(self, original, is_compiling):
        """`original` starts a backward pass and returns when it is over."""

        def run(*args, **kwargs):
            if is_compiling():
                return original(*args, **kwargs)
            place = self._place
            before = place.open, place.base, place.inside
            place.open, place.base, place.inside = [], place.call, True
            if not before[2]:
                self._generation += 1
            self._library.push(self._whole)
            try:
                return original(*args, **kwargs)
            finally:
                self._close(place)
                self._library.pop()
                place.open, place.base, place.inside = before

        run.__name__, run.__doc__, run.__wrapped__ = original.__name__, original.__doc__, original
        return run


class _Entered:
    """Nobody is warned of it where a tensor is saved that it hangs on."""

    __torch_unserialize__ = True

    def __init__(self, enter):
        self._enter = enter

    def __call__(self, *gradients):
        self._enter()


def _hang(tensor, node, entered):
    """PyTorch 2 has hooks before a node; before that they are the tensor's."""
    register = getattr(node, "register_prehook", None) or tensor.register_hook
    register(entered)
