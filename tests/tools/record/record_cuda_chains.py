#!/usr/bin/env python3
"""Checks backtraces of CUDA calls: each frame has its function and file, without a permission that containers lack (no
perf events)."""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "shared"))
from _cuda import LATEST, PROGRAM, VERSIONS, Cuda, environment
from _recorded import PATIENCE_S, SONDE, TOOLS, check

CHAIN = TOOLS / "chain_program"
STRIPPED = TOOLS / "chain_stripped"
FIRST, SECOND = TOOLS / "libchain_first.so", TOOLS / "libchain_second.so"
LAUNCH, WAIT = "cudaLaunchKernel_v7000", "cudaDeviceSynchronize_v3020"
OWN = ["launch_it", "inner", "middle", "outer", "main"]


class Chains(Cuda):
    def frames(self, call, process=None):
        """Of each call of that name, in the order of time: [(symbol, module, is unresolved, address)], innermost first."""
        found = {}
        for row, symbol, module, unresolved, address in self.rows(
                "SELECT r.rowid, s.value, m.value, f.unresolved, f.originalIP FROM CUPTI_ACTIVITY_KIND_RUNTIME r "
                "JOIN StringIds n ON n.id = r.nameId JOIN CUDA_CALLCHAINS f ON f.id = r.callchainId "
                "JOIN StringIds s ON s.id = f.symbol JOIN StringIds m ON m.id = f.module "
                "WHERE n.value = ? AND (? IS NULL OR (r.globalTid >> 24) & 0xFFFFFF = ?) ORDER BY r.start, r.rowid, "
                "f.stackDepth", call, process, process):
            found.setdefault(row, []).append((symbol, module, unresolved, address))
        return list(found.values())

    def symbols(self, call, process=None):
        return [[symbol for symbol, *_ in frames] for frames in self.frames(call, process)]


def record(path, *words, options=("--cudabacktrace=all:0",), version=LATEST, traces="cuda", **settings):
    command = [SONDE, "record", "-t", traces, "-o", str(path), *options, "--", *map(str, words)]
    return subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE_S, check=False, env=environment(version),
                          **settings)


def is_within(part, whole):
    return any(whole[i:i + len(part)] == part for i in range(len(whole)))


def plain(folder, version):
    """The whole way from the runtime library to where the program starts; of exported, static and library functions."""
    path = folder / "plain.sqlite"
    run = record(path, CHAIN, "plain", 5, version=version)
    check(run.returncode == 0 and "warning" not in run.stderr, run.stderr)
    recorded = Chains(path)
    launches, waits = recorded.frames(LAUNCH), recorded.frames(WAIT)
    check(len(launches) == 5 and len(waits) == 5, (len(launches), len(waits)))
    for frames, own in [(frames, OWN) for frames in launches] + [(frames, ["wait_for_it", *OWN[2:]]) for frames in waits]:
        symbols = [symbol for symbol, *_ in frames]
        check(is_within(own, symbols) and symbols[-1] == "_start" and symbols[0].startswith("cuda"), (version, symbols))
        modules = {symbol: module for symbol, module, *_ in frames}
        check(all(modules[symbol] == str(CHAIN) for symbol in own), (version, modules))
        check(Path(modules[symbols[0]]).name == "libfake_cudart.so", (version, modules))
        check(all(unresolved is None for *_, unresolved, _ in frames), (version, frames))
    ((chains,),) = recorded.rows("SELECT count(DISTINCT id) FROM CUDA_CALLCHAINS")
    check(chains == 2, f"{version}: {chains} chains of calls from two places")


def without_rights(folder):
    """Where Linux lets nobody look at events of the CPU, the names are there all the same."""
    path = folder / "rights.sqlite"
    forbid = ("import ctypes, os, struct, sys\n"  # SECCOMP_SET_MODE_FILTER: perf_event_open, 298, gives EPERM
              "code = b''.join(struct.pack('HBBI', *i) for i in ((0x20, 0, 0, 0), (0x15, 0, 1, 298), (0x06, 0, 0, 0x50001), "
              "(0x06, 0, 0, 0x7FFF0000)))\n"
              "libc = ctypes.CDLL(None)\n"
              "buffer = ctypes.create_string_buffer(code)\n"
              "class Program(ctypes.Structure): _fields_ = [('count', ctypes.c_ushort), ('code', ctypes.c_void_p)]\n"
              "program = Program(4, ctypes.addressof(buffer))\n"
              "assert libc.prctl(38, 1, 0, 0, 0) == 0 and libc.prctl(22, 2, ctypes.byref(program), 0, 0) == 0\n"
              "os.execv(sys.argv[1], sys.argv[1:])\n")
    run = subprocess.run(["python3", "-c", forbid, SONDE, "record", "-t", "cuda", "--cudabacktrace=all:0", "-o", str(path), "--",
                          str(CHAIN), "plain", "3"], capture_output=True, text=True, timeout=PATIENCE_S, check=False,
                         env=environment())
    check(run.returncode == 0, run.stderr)
    check([is_within(OWN, symbols) for symbols in Chains(path).symbols(LAUNCH)] == [True] * 3, run.stderr)


def with_samples(folder):
    """Beside CPU samples, where Linux tells of the same files: the names are the same."""
    path = folder / "samples.sqlite"
    run = record(path, CHAIN, "plain", 3, options=("--cudabacktrace=all:0", "-s", "process-tree"))
    recorded = Chains(path)
    check([is_within(OWN, symbols) for symbols in recorded.symbols(LAUNCH)] == [True] * 3, run.stderr)


def libraries(folder):
    """A library that takes the place of another has its own names, by whatever path it was loaded."""
    path = folder / "libraries.sqlite"
    place = folder / "libraries"
    place.mkdir()
    for library in (FIRST, SECOND):
        shutil.copy(library, place)
    order = ["./libchain_first.so", "./libchain_second.so", "./libchain_first.so"]
    run = record(path, CHAIN, "libraries", 2, *order, cwd=place)
    check(run.returncode == 0, run.stderr)
    check(len(set(run.stdout.split())) == 1, f"each lies where the one before lay: {run.stdout}")
    wanted = [f"from_the_{Path(library).stem.split('_')[1]}" for library in order for _ in range(2)]
    found = Chains(path).frames(LAUNCH)
    names = [next((symbol for symbol, *_ in frames if symbol.startswith("from_the")), None) for frames in found]
    check(names == wanted, names)
    for frames, name in zip(found, wanted):
        modules = {symbol: module for symbol, module, *_ in frames}
        check(modules[name] == str(place.resolve() / f"libchain_{name.split('_')[2]}.so"), modules)


def gone(folder):
    """A program that is killed, and one that becomes another: each has its own names."""
    path = folder / "killed.sqlite"
    record(path, CHAIN, "killed", 4)
    check([is_within(OWN, symbols) for symbols in Chains(path).symbols(LAUNCH)] == [True] * 4, "of a program that was killed")
    path = folder / "exec.sqlite"
    record(path, CHAIN, "exec", 3, STRIPPED)
    recorded = Chains(path)
    found = recorded.frames(LAUNCH)
    check(len(found) == 6 and all(is_within(OWN, [symbol for symbol, *_ in frames]) for frames in found[:3]), found)
    for frames in found[3:]:
        own = [(symbol, unresolved) for symbol, module, unresolved, _ in frames if module == str(STRIPPED)]
        check(len(own) >= 5 and ("outer", None) in own, ("what it exports has its name", own))
        others = [row for row in own if row[0] not in ("outer", "main", "_start")]
        check(len(others) == 3 and all(symbol.startswith("0x") and unresolved == 1 for symbol, unresolved in others), own)


def offsets(folder):
    """A frame without a name is called by its address in its file: the last byte of the call that it waits for."""
    path = folder / "offsets.sqlite"
    record(path, STRIPPED, "plain", 1)
    lines = subprocess.run(["objdump", "-d", "--no-show-raw-insn", STRIPPED], capture_output=True, text=True,
                           check=True).stdout.splitlines()
    before = {line.split(":")[0].strip(): lines[i - 1] for i, line in enumerate(lines) if i > 0}
    own = [symbol for symbol, module, *_ in Chains(path).frames(LAUNCH)[0] if module == str(STRIPPED)]
    nameless = [symbol for symbol in own if symbol.startswith("0x")]
    check(len(nameless) == 3, own)
    for symbol in nameless:
        check("call" in before.get(f"{int(symbol, 16) + 1:x}", ""), (symbol, before.get(f"{int(symbol, 16) + 1:x}")))


def children(folder):
    """Forked before CUDA is used, both processes tell of themselves."""
    path = folder / "children.sqlite"
    run = record(path, CHAIN, "child", 3)
    recorded = Chains(path)
    processes = [process for (process,) in recorded.rows(
        "SELECT DISTINCT (globalTid >> 24) & 0xFFFFFF FROM CUPTI_ACTIVITY_KIND_RUNTIME ORDER BY 1")]
    check(len(processes) == 2, (processes, run.stderr))
    parts = sorted(tuple(is_within(part, symbols) for symbols in recorded.symbols(LAUNCH, process))
                   for process, part in zip(sorted(processes), ([*OWN[:-1], "in_child", "main"], ["launch_it", "inner", "in_child"])))
    check(parts == [(True,) * 3] * 2, (processes, recorded.symbols(LAUNCH)))


def rounds(folder):
    """What was told in one range holds for the next ones."""
    record(folder / "range.sqlite", PROGRAM, "ranges", 2,
           options=("--cudabacktrace=all:0", "-c", "cudaProfilerApi", "--capture-range-end", "repeat:3"))
    for number in (1, 2, 3):
        found = Chains(folder / f"range.{number}.sqlite").symbols(LAUNCH)
        check(len(found) == 4 and all("main" in symbols and symbols[-1] == "_start" for symbols in found), (number, found))


def replaced(folder):
    """A file that is another one by now gives no names, and that is said."""
    path = folder / "replaced.sqlite"
    copy = folder / "program"
    shutil.copy(CHAIN, copy)
    run = record(path, "sh", "-c", f"{copy} plain 2; cp {STRIPPED} {copy}.new; mv {copy}.new {copy}")
    found = Chains(path).frames(LAUNCH)
    own = {symbol for frames in found for symbol, module, *_ in frames if module == str(copy)}
    check(own and all(symbol.startswith("0x") for symbol in own), own)
    check("was replaced after it ran" in run.stderr, run.stderr)


def thresholds(folder):
    """Only calls that were asked for have one."""
    path = folder / "kernel.sqlite"
    record(path, CHAIN, "plain", 3, options=("--cudabacktrace=kernel:0",))
    recorded = Chains(path)
    check((len(recorded.frames(LAUNCH)), len(recorded.frames(WAIT))) == (3, 0), "launches alone")


def commands_read_it(folder):
    """The table that says where calls of libraries come from, by the CUDA calls within them."""
    path = folder / "library.sqlite"
    record(path, CHAIN, "library", 3, traces="cuda,nvtx")
    table = subprocess.run([SONDE, "stats", "-r", "library_call_sum", "--format", "csv", path], capture_output=True, text=True,
                           check=True).stdout
    check("cublasSgemm" in table and " < ".join(["launch_it", "inner", "in_library_call", "main"]) in table, table)


def main():
    with tempfile.TemporaryDirectory() as name:
        for version in VERSIONS:
            folder = Path(name) / version
            folder.mkdir()
            plain(folder, version)
            print(f"CUPTI of CUDA {version}: ok", flush=True)
        for part in (without_rights, with_samples, libraries, gone, offsets, children, rounds, replaced, thresholds,
                     commands_read_it):
            folder = Path(name) / part.__name__
            folder.mkdir()
            print(f"{part.__name__}: {part(folder) or 'ok'}", flush=True)


if __name__ == "__main__":
    main()
