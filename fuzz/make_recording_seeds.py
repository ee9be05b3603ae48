#!/usr/bin/env python3
"""Makes seeds of recording_fuzz from programs of the tests: the recorder's file without its header. SONDE and TEST_TOOLS
are set as for the tests of tests/tools: make_recording_seeds.py [FOLDER]."""

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests" / "tools" / "shared"))

import _cuda  # noqa: E402
from _recorded import PATIENCE_S, SONDE, TOOLS  # noqa: E402

# Stands in for a kernel's code with source lines.
CODE = """
void vector_add(const float* a, const float* b, float* c, int n) {
  for (int i = 0; i < n; ++i)
    c[i] = a[i] + b[i];
}
"""
SPOOL_HEAD_BYTES = 40  # of record/spool.h
# The kinds of wire/record.h that each is for.
SEEDS = {
    "payloads": ((12, 13, 14), ["-t", "nvtx"], f"{TOOLS}/payload_program payloads"),
    "pc_samples": ((101, 102, 103, 104, 105, 106), ["--section", "SourceCounters", "--instruction-counts", "--launch-count", "1"],
                   f"{_cuda.PROGRAM} plain 3"),
}


def spool_of(folder, options, program):
    """The recorder's file, which it removes itself, by a second name."""
    (folder / "hot.cu").write_text(CODE)
    subprocess.run(["g++", "-x", "c++", "-c", "-O0", "-gdwarf-4", "-ffunction-sections", "hot.cu", "-o", "hot.o"],
                   cwd=folder, check=True)
    command = [SONDE, "record", "--self-test=false", "-o", folder / "run", *options, "--", "sh", "-c",
               f"{program} > /dev/null; sleep 1"]
    run = subprocess.Popen(list(map(str, command)), stderr=subprocess.DEVNULL,
                           env=_cuda.environment() | {"SONDE_FAKE_CUBIN": str(folder / "hot.o")})
    spools = []
    while run.poll() is None and not spools:
        spools = list(folder.glob("run.sqlite.recording-*"))
        time.sleep(0.01)
    os.link(spools[0], folder / "kept")
    run.wait(timeout=PATIENCE_S)
    return (folder / "kept").read_bytes()[SPOOL_HEAD_BYTES:]


def slices(data):
    """(process, thread, mark, records) of each."""
    at = 0
    while at < len(data):
        process, thread, size, mark = (int.from_bytes(data[at + i:at + i + 4], "little") for i in (0, 4, 8, 12))
        yield process, thread, mark, data[at + 16:at + 16 + size]
        at += 16 + size


def kinds(data):
    for _, _, _, records in slices(data):
        at = 0
        while at < len(records):
            kind, size = (int.from_bytes(records[at + i:at + i + 2], "little") for i in (0, 2))
            yield kind
            at += size


def main():
    to = Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "fuzz" / "corpus" / "recording"
    for name, (wanted, options, program) in SEEDS.items():
        with tempfile.TemporaryDirectory() as folder:
            data = spool_of(Path(folder), options, program)
        if missing := set(wanted) - set(kinds(data)):
            sys.exit(f"{name}: no records of kinds {sorted(missing)}")
        (to / name).write_bytes(data)
        print(f"{name}: {len(data)} bytes, kinds {sorted(set(kinds(data)))}")


if __name__ == "__main__":
    main()
