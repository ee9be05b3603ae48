"""A range for each call of a module, while it lasts."""

import threading


class Place(threading.local):
    """Of a thread: the Call that it is in, and what backward.py has open."""

    def __init__(self, outside):
        self.call = outside
        self.open = []  # Calls whose backward range is open, each within the one before
        self.base = None  # the Call that the backward pass runs in
        self.inside = False  # of a function that starts a backward pass
        self.generation = 0  # of the pass that they are of
        self.in_step = False  # of an optimizer


def patched_call(original, shim, is_compiling):
    """What stands in the place of Module.__call__. A compiler that looks through it sees the original alone."""
    place, names, steps = shim.place, shim.names, shim.steps
    outside = names.outside
    push, pop = shim.library.push, shim.library.pop
    grad_enabled = shim.torch.is_grad_enabled
    take = shim.backward.taker()

    def call(self, *args, **kwargs):
        if is_compiling() or shim.off:
            return original(self, *args, **kwargs)
        around = place.call
        mine = around.calls.get(id(self)) or shim.find(self, around)
        if mine is None:
            return original(self, *args, **kwargs)
        with_grad = grad_enabled()
        if around is outside:
            steps.before(mine, self, with_grad)
        elif with_grad:
            for value in args:
                take(value, around)
        push(mine.number)
        place.call = mine
        try:
            result = original(self, *args, **kwargs)
            if with_grad:
                take(result, mine)
            return result
        finally:
            place.call = around
            pop()
            if around is outside:
                steps.after(mine, self, with_grad)

    return call
