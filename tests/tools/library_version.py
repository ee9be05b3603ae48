#!/usr/bin/env python3
"""`sonde record` refuses an injected library of another version, in one sentence that says what to do."""

import os
import shutil
import struct
import subprocess
import sys
import tempfile
from pathlib import Path

BUILD = Path(os.environ["SONDE"]).parent
NAME = b"Sonde\0\0\0"
NOTE = struct.pack("<III", len(NAME), 4, 1) + NAME  # the ELF note up to its content; the name alone is also in the code


def record(folder: Path, *options: str) -> subprocess.CompletedProcess:
    words = [folder / "sonde", "record", *options, "-o", folder / "run.sqlite", "-f", "--", "/bin/true"]
    return subprocess.run(words, text=True, capture_output=True)


def change_version(library: Path):
    content = library.read_bytes()
    assert content.count(NOTE) == 1, f"{library} has {content.count(NOTE)} notes"
    at = content.index(NOTE) + len(NOTE)
    library.write_bytes(content[:at] + (99).to_bytes(4, "little") + content[at + 4 :])


def check_refused(done: subprocess.CompletedProcess, library: str, version: str):
    assert done.returncode in (1, 2), done
    for part in (library, f"version {version}", "from the same package"):
        assert part in done.stderr.splitlines()[0], f"{part!r} is not in {done.stderr}"


def main() -> int:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for file in ("sonde", "libsonde_inject.so", "libsonde_audit.so"):
            shutil.copy(BUILD / file, folder)
        assert record(folder, "-t", "osrt").returncode == 0
        change_version(folder / "libsonde_audit.so")
        check_refused(record(folder, "-t", "cublas"), "libsonde_audit.so", "99")
        change_version(folder / "libsonde_inject.so")
        check_refused(record(folder, "-t", "osrt"), "libsonde_inject.so", "99")
        shutil.copy("/bin/true", folder / "libsonde_inject.so")
        check_refused(record(folder, "-t", "osrt"), "libsonde_inject.so", "unknown")
    return 0


if __name__ == "__main__":
    sys.exit(main())
