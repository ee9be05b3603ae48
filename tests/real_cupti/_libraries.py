"""NVIDIA's own libraries, as lay_libraries.sh lays them, for tests without a GPU."""

import ctypes
import os
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "build/real_cupti"
TOOLS = Path(os.environ["TEST_TOOLS"])
PROGRAM = TOOLS / "real_cupti_program"
LOADER = Path("/lib64/ld-linux-x86-64.so.2")
SYSTEM = "/lib/x86_64-linux-gnu:/usr/lib/x86_64-linux-gnu"
CONTROL = Path("/dev/nvidiactl")  # the driver makes it where it runs as root, and no GPU has to be there

# cuptiGetVersion() of the CUDA that the columns of results.tsv are named after.
NAMES = {18: "11.8", 22: "12.4", **dict.fromkeys(range(130000, 130100), "13.0")}


def version_of(cupti):
    number = ctypes.c_uint32()
    ctypes.CDLL(str(cupti)).cuptiGetVersion(ctypes.byref(number))
    return number.value


def find_libraries():
    """{name of a CUDA: path of its libcupti}; ends the test where there are none."""
    found = {}
    for cupti in sorted(FOLDER.glob("*/libcupti.so.*")):
        number = version_of(cupti)
        found.setdefault(NAMES.get(number, str(number)), cupti)
    if not found or not find_drivers():
        print(f"skipped: NVIDIA's libraries are not in {FOLDER.relative_to(ROOT)}; ./dev real-cupti gets them")
        sys.exit(77)
    return found


def find_drivers():
    """{major version: folder with libcuda.so.1}"""
    return {folder.name.removeprefix("driver_"): folder for folder in sorted(FOLDER.glob("driver_*"))}


def isolated(folders, *words):
    """A command for which the loader finds libraries in these folders and the system's alone: none of a toolkit."""
    path = ":".join(map(str, [*folders, SYSTEM]))
    return [str(word) for word in (LOADER, "--inhibit-cache", "--library-path", path, *words)]


class RemovesDevice:
    """Removes /dev/nvidiactl afterwards, unless it was there before."""

    def __enter__(self):
        self.was_there = CONTROL.exists()

    def __exit__(self, *_):
        if not self.was_there:
            CONTROL.unlink(missing_ok=True)
