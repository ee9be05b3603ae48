#!/usr/bin/env python3
"""Compares src/record/python/layouts.inc with what the headers of the CPython versions say that are installed here, with
their internal ones (python3-dev has them): programs/python/layout.c prints a row."""

import subprocess
import sys
import sysconfig
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "shared"))
from _recorded import check

ROOT = Path(__file__).resolve().parents[3]
TABLE = ROOT / "src" / "record" / "python" / "layouts.inc"
PROGRAM = Path(__file__).resolve().parents[1] / "programs" / "python" / "layout.c"


def header_folders():
    """Those of this Python and of pyenv's, with the version in their names."""
    folders = {Path(sysconfig.get_path("include")), *Path.home().glob(".pyenv/versions/3.*/include/python3.*")}
    folders |= set(Path("/usr/include").glob("python3.*"))
    return sorted(folder for folder in folders if (folder / "internal" / "pycore_pystate.h").exists())


def known_rows():
    text = "".join(line for line in TABLE.read_text().splitlines() if not line.startswith("//"))
    rows = [" ".join(part.split()) for part in text.split("SONDE_PYTHON_LAYOUT")[1:]]
    return {row.split(",")[0].rpartition(" ")[2]: row for row in rows}


def main():
    known = known_rows()
    compared = []
    with tempfile.TemporaryDirectory() as name:
        for folder in header_folders():
            minor = folder.name.rpartition(".")[2]
            if minor not in known:
                continue
            program = Path(name) / "layout"
            subprocess.run(["gcc", "-w", f"-I{folder}", f"-I{folder}/internal", "-o", program, PROGRAM], check=True)
            row = subprocess.run([program], check=True, capture_output=True, text=True).stdout
            row = " ".join(row.removeprefix("SONDE_PYTHON_LAYOUT").split())
            check(row == known[minor], (str(folder), row, known[minor]))
            compared.append(f"3.{minor}")
    if not compared:
        print("skipped: no internal headers of CPython are installed")
        return
    print(f"compared with the headers of {', '.join(sorted(set(compared)))}: ok")


if __name__ == "__main__":
    main()
