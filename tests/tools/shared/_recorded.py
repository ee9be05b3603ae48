"""Runs programs under `sonde record`, and reads what was recorded with plain SQL."""

import ctypes
import os
import sqlite3
import subprocess
import sys
from pathlib import Path

SONDE = os.environ["SONDE"]
TOOLS = Path(os.environ["TEST_TOOLS"])
PROGRAM = TOOLS / "c_program"
PATIENCE_S = 120

ADDR_NO_RANDOMIZE = 0x0040000  # <sys/personality.h>

# ENUM_NSYS_EVENT_TYPE
MARK, PUSH_POP, START_END = 34, 59, 60


class Recorded:
    """A profile, as rows: (text, start, end, process, thread, domain, eventType, ...)."""

    def __init__(self, path):
        self.path = path
        self.db = sqlite3.connect(f"file:{path}?mode=ro", uri=True)

    def rows(self, sql, *arguments):
        try:
            return self.db.execute(sql, arguments).fetchall()
        except sqlite3.OperationalError as error:
            if "no such table" in str(error):  # there was nothing to put into it
                return []
            raise

    def ranges(self, kind=PUSH_POP):
        """(name, start, end, globalTid) in the order of their starts."""
        return self.rows("SELECT text, start, end, globalTid FROM NVTX_EVENTS WHERE eventType = ? ORDER BY start, end DESC",
                         kind)

    def counts(self, kind=PUSH_POP):
        return dict(self.rows("SELECT text, count(*) FROM NVTX_EVENTS WHERE eventType = ? GROUP BY text", kind))

    def calls(self, name):
        """(start, end, globalTid, returnValue) of the OS calls of a name."""
        return self.rows("SELECT start, end, globalTid, returnValue FROM OSRT_API JOIN StringIds ON id = nameId "
                         "WHERE value = ? ORDER BY start", name)

    def remarks(self):
        return [text for (text,) in self.rows("SELECT text FROM DIAGNOSTIC_EVENT")]


def fix_addresses():
    """What this test starts gets the same addresses at each start. Where the kernel randomises them by 32 bits
    (vm.mmap_rnd_bits), 3 of 100 starts of a program with g++ 12's AddressSanitizer end by SIGSEGV, recorded or not."""
    ctypes.CDLL(None).personality(ADDR_NO_RANDOMIZE)


def record(output, *words, options=(), **settings):
    """The finished process of `sonde record`; what it recorded is at `output`."""
    command = [SONDE, "record", "-o", str(output), *options, "--", *map(str, words)]
    return subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE_S, check=False, **settings)


def is_nested(ranges):
    """Whether the ranges of each thread, in the order of their starts, lie within each other or apart."""
    open_ends = {}
    for _, start, end, thread in ranges:
        ends = open_ends.setdefault(thread, [])
        while ends and ends[-1] <= start:
            ends.pop()
        if end is None or (ends and end > ends[-1]):
            return False
        ends.append(end)
    return True


def check(condition, what):
    if not condition:
        sys.exit(f"FAILED: {what}")
