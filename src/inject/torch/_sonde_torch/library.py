"""libsonde_inject.so, as torch_ranges.cc describes its functions."""

import ctypes

ATTACHED = 1


class Library:
    """Its functions hold Python's lock: they take less time than giving it away would."""

    def __init__(self, path):
        library = ctypes.PyDLL(path)
        self.attached = library.sonde_torch_begin() == ATTACHED
        self.push = library.sonde_torch_push
        self.pop = library.sonde_torch_pop
        self.push.restype = self.pop.restype = None
        self._name = library.sonde_torch_name
        self._name.argtypes = [ctypes.c_char_p]
        self._name.restype = ctypes.c_int
        self._mark = library.sonde_torch_mark
        self._mark.argtypes = [ctypes.c_char_p]
        self._mark.restype = None
        self.time = library.sonde_torch_time
        self.time.restype = ctypes.c_int64
        self._past_range = library.sonde_torch_past_range
        self._past_range.argtypes = [ctypes.c_char_p, ctypes.c_int64]
        self._past_range.restype = None
        self._numbers = {}

    def number(self, text):
        """What push() takes for a text."""
        number = self._numbers.get(text)
        if number is None:
            number = self._numbers[text] = self._name(_bytes(text))
        return number

    def mark(self, text):
        self._mark(_bytes(text))

    def past_range(self, text, start):
        self._past_range(_bytes(text), start)


def _bytes(text):
    return text.encode("utf-8", "replace").replace(b"\0", b"?")
