"""Ranges of training steps: each goes from the end of one step() of the optimizer to the end of the next.

Of several optimizers the first one counts. What comes before the first forward pass of training is in no step, nor is
what follows an evaluation of the model until the next forward pass.
"""

import weakref


class Steps:
    def __init__(self, library, place, outside):
        self._library = library
        self._place = place
        self._outside = outside
        self._optimizer = lambda: None
        self._begin = 0  # of the current step; 0 where there is none
        self._count = 0
        self._range = library.number("optimizer.step")

    def before(self, call, module, with_grad):
        """An outermost module is called."""
        if with_grad and module.training and self._begin == 0:
            self._begin = self._library.time()
        call.trained = call.trained or (with_grad and module.training)

    def after(self, call, module, with_grad):
        evaluates = call.trained and not (with_grad or module.training)
        if evaluates:
            self._begin = 0

    def around(self, original, is_compiling):
        """`original` is the step() of an optimizer's class."""

        def step(optimizer, *args, **kwargs):
            if is_compiling() or self._place.in_step:  # the latter: of the class that this one inherits from
                return original(optimizer, *args, **kwargs)
            self._place.in_step = True
            self._library.push(self._range)
            try:
                result = original(optimizer, *args, **kwargs)
            finally:
                self._place.in_step = False
                self._library.pop()
            self._end_step(optimizer)
            return result

        return step

    def _end_step(self, optimizer):
        first = self._optimizer()
        if first is None:
            self._optimizer = weakref.ref(optimizer)
        elif first is not optimizer:
            return
        if self._place.call is self._outside:  # else the step would cross the module that it ends in
            self._library.past_range(f"step {self._count}", self._begin)
        self._count += 1
        self._begin = self._library.time()
