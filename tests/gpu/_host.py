"""Finds out what this host has for the tests on a GPU, and reports what the tests did."""

import ctypes
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
# The readers of profiles are those of the tools tests.
sys.path.insert(0, str(ROOT / "tests/tools/shared"))
SONDE = os.environ.setdefault("SONDE", str(ROOT / "build/release/sonde"))
os.environ.setdefault("TEST_TOOLS", str(ROOT / "build/release/tests/tools"))
PATIENCE_S = 540
NVCC_PLACES = ("/usr/local/cuda/bin/nvcc", "/opt/cuda/bin/nvcc")


class Missing(Exception):
    """A part cannot run here: why."""


class Failed(Exception):
    """What is not as it must be."""


def check(condition, what):
    if not condition:
        raise Failed(str(what))


def close(found, wanted, share, what):
    check(abs(found - wanted) <= share * abs(wanted), f"{what}: {found}, not {wanted} within {share:.0%}")


def gpus():
    """How many the driver gives."""
    try:
        driver = ctypes.CDLL("libcuda.so.1")
    except OSError as error:
        raise Missing(f"no NVIDIA driver ({error})") from error
    count = ctypes.c_int()
    if driver.cuInit(0) != 0 or driver.cuDeviceGetCount(ctypes.byref(count)) != 0 or count.value == 0:
        raise Missing("the driver finds no GPU")
    return count.value


def tool(name, *places):
    found = shutil.which(name) or next((place for place in places if Path(place).exists()), None)
    if found is None:
        raise Missing(f"no {name}")
    return found


def module(name):
    """Whether this Python has it, and for torch with a GPU: asked in a process of its own."""
    asks = f"import {name}" + ("; assert torch.cuda.is_available(), 'torch sees no GPU'" if name == "torch" else "")
    done = run([sys.executable, "-c", asks], must_succeed=False)
    if done.returncode != 0:
        raise Missing(done.stderr.strip().splitlines()[-1])


def sonde_has(command, option=""):
    """Where this Sonde is built without a part, its test waits for it."""
    shown = run([SONDE, command, "--help"], must_succeed=False)
    if shown.returncode != 0 or option not in shown.stdout:
        raise Missing(f"this sonde has no {command} {option}".rstrip())


def run(words, must_succeed=True, **settings):
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True, timeout=PATIENCE_S, check=False,
                          **settings)
    if must_succeed and done.returncode != 0:
        raise Failed(f"{' '.join(map(str, words))} gave {done.returncode}: {done.stderr[-800:]}")
    return done


class Host:
    """Asked for what a part needs; gives it or raises Missing."""

    def __init__(self):
        self.folder = Path(tempfile.mkdtemp(prefix="sonde-gpu-"))
        self.program_path = None

    def file(self, name):
        return self.folder / name

    def program(self):
        """gpu_program, built once for the GPU that is here."""
        gpus()
        if self.program_path is None:
            path = self.file("gpu_program")
            run([tool("nvcc", *NVCC_PLACES), "-std=c++17", "-O2", "-arch=native", "-o", path,
                 Path(__file__).parent / "gpu_program.cu"])
            self.program_path = path
        return self.program_path

    def torch(self):
        gpus()
        module("torch")

    def clean(self):
        shutil.rmtree(self.folder, ignore_errors=True)
