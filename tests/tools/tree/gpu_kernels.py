#!/usr/bin/env python3
"""The kernels of tests/gpu compute what they say: an interpreter of the few PTX instructions that they use, against
formulas. On a host with ptxas, the compiled kernels hold as many registers as their case needs."""

import operator
import os
import re
import shutil
import struct
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "shared"))
from _recorded import check

PTX = Path(os.environ["TEST_TOOLS"]).parent / "gpu/kernels.ptx"
THREADS = 256
OUT, IN = 1 << 40, 1 << 41  # addresses of the two arrays
COMPARE = {"ge": operator.ge, "lt": operator.lt, "le": operator.le}
COMPUTE = {"mov": lambda a: a, "cvta": lambda a: a, "cvt": lambda a: a, "add": operator.add, "sub": operator.sub,
           "mul": operator.mul, "mad": lambda a, b, c: a * b + c, "fma": lambda a, b, c: a * b + c, "shl": operator.lshift,
           "shr": operator.rshift, "and": operator.and_}


def float32(value):
    return struct.unpack("f", struct.pack("f", value))[0]


def bits(value):
    return struct.unpack("I", struct.pack("f", value))[0]


def kernels():
    """{name: (its parameters, its lines without comments)}"""
    text = re.sub(r"//.*", "", PTX.read_text())
    return {name: (re.findall(r"\w+(?=,|$)", parameters), [line.strip() for line in re.split(r"[;\n]", body) if line.strip()])
            for name, parameters, body in re.findall(r"\.entry (\w+)\(([^)]*)\)\s*\{(.*?)\n\}", text, re.S)}


class Thread:
    """Runs a kernel as one thread. `memory`: {address: value}, in units of four bytes."""

    def __init__(self, kernel, arguments, memory, index):
        names, self.lines = kernel
        self.parameters = dict(zip(names, arguments))
        self.memory = memory
        self.registers = {"%ctaid.x": index // THREADS, "%ntid.x": THREADS, "%tid.x": index % THREADS}
        self.labels = {line[:-1]: number for number, line in enumerate(self.lines) if line.endswith(":")}

    def value(self, word):
        if word in self.registers:
            return self.registers[word]
        if word[:2] in ("0f", "0d"):
            return struct.unpack({"f": ">f", "d": ">d"}[word[1]], bytes.fromhex(word[2:]))[0]
        return int(word, 0)

    def run(self):
        place = 0
        while True:
            line = self.lines[place]
            place += 1
            condition = re.match(r"@(%p) ", line)
            if condition and not self.registers[condition[1]]:
                continue
            name, *words = re.findall(r"[^\s,]+", line[condition.end():] if condition else line)
            if name == "ret":
                return
            if name == "bra":
                place = self.labels[words[0]]
            elif name[0] != "." and not name.endswith(":"):
                self.do(name.split("."), *words)

    def do(self, name, target, *words):
        if name[0] == "st":
            self.memory[self.registers[target.strip("[]")]] = self.value(words[0])
        elif name[0] == "ld":
            where = words[0].strip("[]")
            self.registers[target] = self.parameters[where] if name[1] == "param" else self.memory[self.registers[where]]
        else:
            self.registers[target] = computed(name, [self.value(word) for word in words])


def computed(name, values):
    """The result of an instruction, in its type: that of a conversion stands before that of its source."""
    if name[0] == "setp":
        return COMPARE[name[1]](*values)
    kind = name[-2] if name[0] == "cvt" else name[-1]
    result = COMPUTE[name[0]](*values)
    if kind[0] == "f":
        return float32(result) if kind == "f32" else float(result)
    if isinstance(result, float) and kind[0] == "b":
        result = bits(result)
    return int(result) & (1 << (64 if name[1] == "wide" else int(kind[1:]))) - 1


def ran(name, index, arguments, memory):
    """What the thread wrote to its place of the output."""
    Thread(kernels()[name], arguments, memory, index).run()
    return memory[OUT + 4 * index]


def reads(width_bits=4, height=64):
    count = height << width_bits
    for index in (0, 1, 17, count - 1):
        memory = {IN + 4 * place: float(place) for place in range(count)}
        arguments = (count, OUT, IN, width_bits, height)
        apart = index % (1 << width_bits) * height + index // (1 << width_bits)
        check(ran("read_apart", index, arguments, dict(memory)) == 1.5 * apart, f"read_apart of thread {index}")
        check(ran("read_in_order", index, arguments, dict(memory)) == 1.5 * index, f"read_in_order of thread {index}")
    memory = {}
    Thread(kernels()["read_apart"], (5, OUT, IN, width_bits, height), memory, 5).run()
    check(not memory, "a thread beyond the count writes")


def polynomials():
    for index in (0, 300):
        in_double = in_float = 0.25
        for _ in range(256):
            in_double = float32(in_double * 1.0001 + 0.5)
            in_float = float32(in_float * float32(1.0001) + 0.5)
        for name, wanted in (("poly_double", in_double), ("poly_float", in_float)):
            found = ran(name, index, (1 << 20, OUT, IN), {IN + 4 * index: 0.25})
            check(abs(found - wanted) <= 1e-5 * wanted, f"{name}: {found}, not {wanted}")


def chased(index, mask, values):
    """The sum that a thread of chase writes, by its description."""
    link = first = index * 0x9E3779B1 & mask
    kept = [(first + (k + 1) * 0x9E3779B9) % 2**32 for k in range(values)]
    for _ in range(24):
        link = link * 1664525 + 1013904223 & mask
        work = float32(link)
        for _ in range(40):
            work = float32(work * float32(0.999) + 0.25)
        link = link + (bits(work) & 31) & mask
    total = float32(link)
    for value in kept:
        total = float32(total + float32(value))
    return total


def chases():
    mask = (1 << 10) - 1
    memory = {IN + 4 * place: place * 1664525 + 1013904223 & mask for place in range(mask + 1)}
    for values in (8, 200):
        for index in (0, 1, 777):
            found = ran(f"chase_{values}", index, (mask, OUT, IN), dict(memory))
            check(found == chased(index, mask, values), f"chase_{values} of thread {index}: {found}")


def registers():
    ptxas = shutil.which("ptxas", path=os.environ["PATH"] + ":/usr/local/cuda/bin:/opt/cuda/bin")
    if not ptxas:
        print("skipped: no ptxas: registers")
        return
    said = subprocess.run([ptxas, "-v", "-arch=sm_90", "-o", "/dev/null", PTX], capture_output=True, text=True, check=True)
    found = {name: int(count) for name, count in
             re.findall(r"function '(\w+)' for.*?Used (\d+) registers", said.stderr, re.S)}
    # 64 Ki registers hold one block of 256 threads with 200 values each, and eight blocks with 8.
    check(200 < found["chase_200"] <= 255 and found["chase_8"] <= 32, found)


for part in (reads, polynomials, chases, registers):
    part()
