#!/usr/bin/env python3
"""Checks source lines of device code against the compiler's own tools.

No available report has code with -lineinfo, so the code here is host code: an object file of g++ has the same shape (a
section for each function, all at address 0, DWARF line programs whose addresses are relocations). Sonde reads it inside
a kernel report; objdump prints the line of each instruction.
"""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "reference"))
import ncu_report  # noqa: E402

SKIPPED = 77
SOURCE = """
int twice(int x) {
  int y = x;
  y += x;
  return y;
}

template <typename T> T spread(T* p, int n) {
  T sum{};
  for (int i = 0; i < n; ++i) {
    sum += p[i] * twice(i);
    p[i] = sum;
  }
  return sum;
}
template double spread(double*, int);
template long spread(long*, int);
"""


def compile_object(folder, dwarf):
    (folder / "code.cc").write_text(SOURCE)
    target = folder / f"code{dwarf}.o"
    subprocess.run(["g++", "-c", "-O1", f"-gdwarf-{dwarf}", "-ffunction-sections", "code.cc", "-o", target], cwd=folder,
                   check=True)
    return target


def lines_of_objdump(path):
    """{mangled name: {offset of an instruction: line}}"""
    text = subprocess.run(["objdump", "-d", "-l", "--no-show-raw-insn", path], capture_output=True, text=True,
                          check=True).stdout
    functions, function, line = {}, None, None
    for row in text.splitlines():
        if begin := re.match(r"^[0-9a-f]+ <(\w+)>:", row):
            function, line = functions.setdefault(begin.group(1), {}), None
        elif place := re.match(r"^\S*code\.cc:(\d+)", row):
            line = int(place.group(1))
        elif (instruction := re.match(r"^ +([0-9a-f]+):\t", row)) and function is not None:
            function[int(instruction.group(1), 16)] = line
    return functions


def lines_of_sonde(path, folder):
    report = {"code": [{"reference": 9, "elf": path.name, "functions": [["_Z5twicei", 4096]]}],
              "kernels": [{"name": "twice(int)", "mangled": "_Z5twicei", "grid": [1, 1, 1], "block": [1, 1, 1],
                           "code": 9, "metrics": {"launch__grid_size": 1}}]}
    file = folder / "code.ncu-rep"
    file.write_bytes(ncu_report.report(report, folder))
    out = subprocess.run([os.environ["DUMP_TRACE"], "--kernels", file], capture_output=True, text=True, check=True).stdout
    return {f["mangled_name"]: f for f in map(json.loads, out.splitlines()) if f["type"] == "function"}


def differences(theirs, ours):
    for name, instructions in theirs.items():
        lines = ours.get(name, {"lines": []})["lines"]
        for offset, line in instructions.items():
            before = [number for begin, file, number in lines if begin <= offset and file.endswith("code.cc")]
            if not before or before[-1] != line:
                yield f"{name}+{offset:#x}: line {before[-1] if before else None}, objdump says {line}"


def main():
    if shutil.which("g++") is None or shutil.which("objdump") is None:
        print("skipped: g++ or objdump is not there")
        return SKIPPED
    failures = 0
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for dwarf in (2, 3, 4):
            path = compile_object(folder, dwarf)
            theirs, ours = lines_of_objdump(path), lines_of_sonde(path, folder)
            found = list(differences(theirs, ours))
            if ours.get("_Z5twicei", {}).get("address") != 4096:
                found.append("the function is not at the address that the report gives")
            count = sum(len(f) for f in theirs.values())
            failures += bool(found) or count == 0
            print(f"DWARF {dwarf}: {count} instructions of {len(theirs)} functions, {len(found)} differ")
            print("".join(f"  {line}\n" for line in found[:10]), end="")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
