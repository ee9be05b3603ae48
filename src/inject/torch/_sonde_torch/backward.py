"""Ranges of the backward pass: "backward NAME" while gradients of what a module computed are computed.

Each node of autograd's graph that ends a module's part of it is taken for that module once, innermost first. What runs
when the gradient arrives there closes the ranges of other modules and opens those down to this one. A node that a module
is called with and that nothing has taken yet is the work of the function between two modules: it is the calling one's.
The values and the nodes themselves stay as they are: no output is replaced, so that it may be changed in place.
"""

from functools import partial, wraps

_MARK = "sonde"  # in the node's own dictionary for notes
_MOST_TENSORS = 16  # of a list


class Backward:
    def __init__(self, torch, library, place, fail):
        self._tensor = torch.Tensor
        self._engine = torch.autograd.Variable._execution_engine
        self._library = library
        self._place = place
        self._fail = fail
        self._whole = library.number("backward")
        self._generation = 0

    def taker(self):
        """take(value, call): the nodes of what a module was called with or gave back are taken for `call`."""
        is_tensor = self._tensor
        fail, enter = self._fail, self._enter

        def take_node(node, call):
            metadata = node.metadata
            if _MARK in metadata:
                return
            metadata[_MARK] = True
            if call.entered is None:
                call.entered = partial(enter, call)
            node.register_prehook(call.entered)

        def take_all(values, call):
            for value in list(values)[:_MOST_TENSORS]:
                take(value, call)

        def take(value, call):
            try:
                if isinstance(value, is_tensor):
                    node = value.grad_fn
                    if node is not None:
                        take_node(node, call)
                elif isinstance(value, (list, tuple)):
                    take_all(value, call)
                elif isinstance(value, dict):
                    take_all(value.values(), call)
            except Exception as error:
                fail(error)

        return take

    def _enter(self, call, _gradients):
        """Gradients have arrived at what `call` computed, on this thread."""
        try:
            self._change_to(call)
        except Exception as error:
            self._fail(error)

    def _change_to(self, call):
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

        @wraps(original)
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

        return run
