"""Has something done when a program has imported a module. Until then a program pays a look at the name of each module that
it imports."""

import importlib.util
import sys


def wait(library):
    """`library` is the path of libsonde_inject.so."""

    def install():
        from _sonde_torch import install
        install.install(library)

    after("torch", install)


def after(name, then):
    """then() is called once, behind the first import of the module that succeeds."""
    sys.meta_path.insert(0, _Finder(name, then))


class _Finder:
    """Finds a module as the finders behind it do."""

    def __init__(self, name, then):
        self._name = name
        self._then = then

    def find_spec(self, name, path=None, target=None):
        if name != self._name or self not in sys.meta_path:
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
                self._finish()

        loader.exec_module = exec_module

    def _finish(self):
        try:
            self._then()
        except Exception as error:  # the program must run
            sys.stderr.write(f"sonde: modules are not recorded: {error!r}\n")
