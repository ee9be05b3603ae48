#!/usr/bin/env python3
"""check_binaries.py FOLDER: checks each ELF file below a folder that a package installs. It needs no symbol of a C library
newer than glibc 2.31, no other library, and no search path; the program is smaller than 30 MB."""

import re
import subprocess
import sys
from pathlib import Path

NEWEST_GLIBC = (2, 31)
# All of the C library's own package. The loader keeps them as one from glibc 2.34 on.
C_LIBRARY = re.compile(r"(libc\.so\.6|libm\.so\.6|librt\.so\.1|libdl\.so\.2|libpthread\.so\.0|ld-linux-[\w-]+\.so\.\d)")
LOADED_INTO_PROGRAMS = {"libsonde_inject.so": r"lib(c|dl|pthread)\.so\.\d", "libsonde_audit.so": r"$^"}
LARGEST_PROGRAM = 30_000_000


def readelf(option: str, file: Path) -> str:
    return subprocess.run(["readelf", "-W", option, file], capture_output=True, text=True, check=True).stdout


def dynamic_faults(file: Path) -> list[str]:
    text = readelf("--dynamic", file)
    allowed = re.compile(LOADED_INTO_PROGRAMS.get(file.name, C_LIBRARY))
    needed = re.findall(r"\(NEEDED\).*\[(.+)\]", text)
    faults = [f"needs {name}" for name in needed if not allowed.fullmatch(name)]
    return faults + [f"has a search path: {path}" for path in re.findall(r"\((?:RPATH|RUNPATH)\).*\[(.+)\]", text)]


def version_faults(file: Path) -> list[str]:
    faults = []
    for name in sorted(set(re.findall(r"Name: (\S+)  Flags", readelf("--version-info", file)))):
        number = re.fullmatch(r"GLIBC_(\d+)\.(\d+)(?:\.\d+)?", name)
        if not number:
            faults.append(f"needs the symbol version {name}")
        elif (int(number[1]), int(number[2])) > NEWEST_GLIBC:
            faults.append(f"needs {name}; the newest allowed is 2.31")
    return faults


def size_faults(file: Path) -> list[str]:
    size = file.stat().st_size
    if file.name == "sonde" and size >= LARGEST_PROGRAM:
        return [f"has {size / 1e6:.1f} MB; the limit is {LARGEST_PROGRAM / 1e6:.0f} MB"]
    return []


def is_elf(file: Path) -> bool:
    with file.open("rb") as opened:
        return opened.read(4) == b"\x7fELF"


def main() -> int:
    folder = Path(sys.argv[1])
    files = [f for f in sorted(folder.rglob("*")) if f.is_file() and not f.is_symlink() and is_elf(f)]
    bad = False
    for file in files:
        faults = dynamic_faults(file) + version_faults(file) + size_faults(file)
        bad = bad or bool(faults)
        print(f"{file.relative_to(folder)}: {file.stat().st_size / 1e6:.1f} MB, {'; '.join(faults) or 'valid'}")
    if not files:
        print(f"{folder} contains no ELF file", file=sys.stderr)
    return 1 if bad or not files else 0


if __name__ == "__main__":
    sys.exit(main())
