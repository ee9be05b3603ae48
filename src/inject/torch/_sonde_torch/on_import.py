"""Has something done when a program has imported a module. It costs a look at the name of each module that the program
imports."""

import importlib.util
import sys
import threading


def after(name, then):
    """then() is called once, behind the first import of the module that succeeds."""
    sys.meta_path.insert(0, _Finder(name, then))


class _Finder:
    """Finds a module as the finders behind it do. It stays where it is: another thread that goes through the list while
    something is taken out of it would miss a finder."""

    def __init__(self, name, then):
        self._name = name
        self._then = then
        self._here = threading.local()  # `asks`: this thread asks the finders behind

    def find_spec(self, name, path=None, target=None):
        """None where anything is out of the ordinary: the finders behind are then asked by the program's import."""
        if name != self._name or self._then is None or getattr(self._here, "asks", False):
            return None
        self._here.asks = True
        try:
            spec = importlib.util.find_spec(name)
        except Exception:
            return None
        finally:
            self._here.asks = False
        self._follow(spec)
        return spec

    def _follow(self, spec):
        """What cannot be followed is left as it is. A loader that is a class is not this module's alone."""
        try:
            if not isinstance(spec.loader, type):
                spec.loader.exec_module = _Execution(self, spec.loader)
        except Exception:
            return

    def executed(self, name):
        """The import of a module has succeeded."""
        if name != self._name or self._then is None:
            return
        then, self._then = self._then, None
        try:
            then()
        except Exception as error:  # the program must run
            sys.stderr.write(f"sonde: modules are not recorded: {error!r}\n")


class _Execution:
    """Stands for a loader's exec_module() until that is called."""

    def __init__(self, finder, loader):
        self._finder = finder
        self._loader = loader
        self._own = vars(loader).get("exec_module")  # of the loader, not of its class
        self._original = loader.exec_module

    def __call__(self, module):
        self._put_back()
        self._original(module)
        self._finder.executed(module.__name__)

    def _put_back(self):
        if vars(self._loader).get("exec_module") is not self:
            return
        if self._own is None:
            del self._loader.exec_module
        else:
            self._loader.exec_module = self._own
