"""What tests/gpu/run collected for a part: commands with their output, and profiles."""

import json
import os
import re
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
IS_KIT = (HERE / "bin/sonde").exists()
ROOT = HERE if IS_KIT else HERE.parents[1]
SONDE = os.environ.setdefault("SONDE", str(HERE / "bin/sonde" if IS_KIT else ROOT / "build/release/sonde"))
os.environ.setdefault("TEST_TOOLS", str(Path(SONDE).parent / "tests/tools"))
# The readers of profiles are those of the tools tests.
sys.path.insert(0, str(HERE / "readers" if IS_KIT else ROOT / "tests/tools/shared"))
from _cuda import Cuda  # pylint: disable=wrong-import-position

TIMED_OUT = (124, 137)
CANNOT = 3  # tests/gpu/programs/driver.h
LACKS = re.compile(r"^(no NVIDIA driver .*|the driver sees no GPU .*|libcuda has no .*|the GPU has too little free memory .*)$",
                   re.M)
REFUSED = re.compile(r"is not permitted to read the GPU's counters|ERR_NVGPUCTRPERM")


class Missing(Exception):
    """A part could not run there: why."""


class NotReached(Exception):
    """The time of the call was spent."""


class Failed(Exception):
    """What is not as it must be."""


def check(condition, what):
    if not condition:
        raise Failed(str(what))


def close(found, wanted, share, what):
    check(abs(found - wanted) <= share * abs(wanted), f"{what}: {found}, not {wanted} within {share:.0%}")


def may_read_counters(said):
    if REFUSED.search(said):
        raise Missing("this user may not read the GPU's counters")


class Part:
    def __init__(self, folder):
        self.folder = Path(folder)

    def file(self, name):
        return self.folder / name

    def text(self, name):
        path = self.file(name)
        return path.read_text(errors="replace") if path.exists() else ""

    def steps(self):
        return sorted(path.stem for path in self.folder.glob("*.status"))

    def is_collected(self):
        """Raises what kept the part from being collected."""
        if reason := self.text("cannot").strip():
            raise Missing(reason)
        if not self.steps() and (reason := self.text("not_reached").strip()):
            raise NotReached(reason)

    def done(self, name, code=0):
        """The command ran to its end, and ended with that code."""
        status = self.text(f"{name}.status").split()
        if not status:
            raise NotReached(self.text("not_reached").strip() or f"{name} was not run")
        found, seconds, limit, wanted = map(int, status)
        if found == code:
            return
        if found in TIMED_OUT and limit < wanted:
            raise NotReached(f"{name}: {limit} s of the call were left, which was not enough")
        check(found not in TIMED_OUT, f"{name} was not done after {seconds} s")
        said = self.text(f"{name}.err")
        if found == CANNOT and (lacks := LACKS.search(said)):
            raise Missing(lacks.group())
        raise Failed(f"{name} ended with {found}: {' | '.join(said.strip().splitlines()[-3:])}")

    def out(self, name):
        self.done(name)
        return self.text(f"{name}.out")

    def said(self, name):
        """What the recorder and the program printed as remarks and errors."""
        return self.text(f"{name}.err")

    def account(self, name, code=0):
        """What the program says that it did: the last line that is JSON."""
        self.done(name, code)
        lines = [line for line in self.text(f"{name}.out").splitlines() if line.startswith("{")]
        check(lines, f"{name} printed no account")
        return json.loads(lines[-1])

    def profile(self, name, code=0):
        self.done(name, code)
        return self.profile_of(f"{name}.sqlite", self.said(name))

    def profile_of(self, name, said=""):
        check(self.file(name).exists(), f"there is no profile {name}: {said.strip()}")
        return Cuda(self.file(name))
