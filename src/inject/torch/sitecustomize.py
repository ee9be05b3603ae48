"""Python runs this when it starts, wherever `sonde record --torch-modules` put its folder on PYTHONPATH.

It waits for an import of torch, takes the folder off the path, and runs the sitecustomize that it stands in front of.
It must be readable to every Python there is: one that is too old is left alone.
"""

import os
import sys

_FOLDER = os.path.dirname(os.path.abspath(__file__))


def _wait_for_torch():
    library = os.environ.get("NVTX_INJECTION64_PATH")
    if sys.version_info < (3, 8) or not library or not os.environ.get("SONDE_RECORD_MAPPING"):
        return
    from _sonde_torch import on_import

    def install():
        from _sonde_torch import install
        install.install(library)  # the path of libsonde_inject.so

    on_import.after("torch", install)


def _run_shadowed():
    own = sys.modules.pop(__name__)
    try:
        __import__(__name__)
    except ImportError as error:
        if getattr(error, "name", None) != __name__:
            raise
    finally:
        sys.modules.setdefault(__name__, own)


try:
    _wait_for_torch()
except Exception as error:  # whatever it is, the program must run
    sys.stderr.write("sonde: modules are not recorded: {}\n".format(error))
sys.path[:] = [entry for entry in sys.path if os.path.abspath(entry or ".") != _FOLDER]
if __name__ == "sitecustomize":
    _run_shadowed()
