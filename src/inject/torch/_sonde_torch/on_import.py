"""Waits until a program imports torch. Programs that do not pay a look at the name of each module they import."""

import importlib.util
import sys


def wait(library):
    """`library` is the path of libsonde_inject.so."""
    sys.meta_path.insert(0, _TorchFinder(library))


class _TorchFinder:
    """Finds torch as the finders behind it do, and has something done when it has been imported."""

    def __init__(self, library):
        self._library = library

    def find_spec(self, name, path=None, target=None):
        if name != "torch" or self not in sys.meta_path:
            return None
        sys.meta_path.remove(self)
        try:
            spec = importlib.util.find_spec(name)
        finally:
            sys.meta_path.insert(0, self)
        if spec is not None and hasattr(spec.loader, "exec_module"):
            self._follow(spec.loader)
        return spec

    def _follow(self, loader):
        def exec_module(module):
            del loader.exec_module
            loader.exec_module(module)
            if self in sys.meta_path:
                sys.meta_path.remove(self)
                self._install()

        loader.exec_module = exec_module

    def _install(self):
        try:
            from _sonde_torch import install
            install.install(self._library)
        except Exception as error:  # the program must run
            sys.stderr.write(f"sonde: modules are not recorded: {error!r}\n")
