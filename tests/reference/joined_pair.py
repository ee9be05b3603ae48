"""Makes a timeline and a kernel report of an invented model from known numbers: the two files, and the bytes that each
module moves, by addition.

A kernel that moves b bytes takes b / BYTES_PER_NS + OVERHEAD_NS on the timeline. The profiler's own times differ.
"""

import pathlib
import random
import re
import sqlite3
from collections import namedtuple

import ncu_report

BYTES_PER_NS = 1400
OVERHEAD_NS = 1700
MODULES = ("attention", "mlp", "norm", "gate", "projection")
SCHEMA = pathlib.Path(__file__).resolve().parents[1] / "golden/inputs/schema.sql"
PROCESS = 1 << 48 | 100 << 24
THREAD = PROCESS | 101
SECTOR = 32

# `timeline` and `report` are how the two recorders spell the function.
Function = namedtuple("Function", "timeline report short mangled")
Launch = namedtuple("Launch", "function grid registers path read write flop occupancy duration")

GEMM = Function("void net::gemm<(int)64, (bool)1, float>(const T3 *, T3 *, int)",
                "void net::gemm<64, true, float>(float const*, float*, int)", "gemm", "_ZN3net4gemmILi64ELb1EfEEvPKT1_PS2_i")
MAP = Function("void net::<unnamed>::map<[lambda(float) (instance 1)]>(int, T1)",
               "void net::(anonymous namespace)::map<{lambda(float)#1}>(int, {lambda(float)#1})", "map",
               "_ZN3net12_GLOBAL__N_13mapIUlfE_EEviT_")
SORT = Function("sort_keys(int *)", "sort_keys(int*)", "sort_keys", "_Z9sort_keysPi")
EXTRA = Function("histogram(int *)", "histogram(int*)", "histogram", "_Z9histogramPi")


def whole_sectors(random_bytes):
    return random_bytes // SECTOR * SECTOR


def launches(iterations=3, layers=2, same_iterations=True, same_layers=False, seed=7):
    """The run in the order in which it launches. Each module of a layer launches gemm with two grids, and map; map is the
    same in all modules but for what it moves."""
    run = []
    for iteration in range(iterations):
        for layer in range(layers):
            for m, module in enumerate(MODULES):
                chance = random.Random(f"{seed} {0 if same_iterations else iteration} {0 if same_layers else layer} {module}")
                path = (f"iteration {iteration}", f"layer.{layer}", module)
                for function, grid, registers in ((GEMM, 64, 128), (GEMM, 256, 128), (MAP, 32, 24)):
                    read = whole_sectors(chance.randrange(2_000_000, 3_000_000) * (m + 1))
                    write = whole_sectors(chance.randrange(1_000_000, 2_000_000) * (m + 1))
                    run.append(Launch(function, grid, registers, path, read, write, 2 * chance.randrange(1_000_000, 90_000_000),
                                      float(chance.randrange(20, 95)), (read + write) // BYTES_PER_NS + OVERHEAD_NS))
                if module == "mlp":
                    run.append(Launch(SORT, 8, 32, path, 0, 0, 0, 0.0, 40_000))  # never measured
    return run


def ranges(run):
    """(name, first launch, last launch) of each range, outer ones first."""
    found = []
    for depth in range(3):
        begin = 0
        for i in range(1, len(run) + 1):
            if i == len(run) or run[i].path[:depth + 1] != run[begin].path[:depth + 1]:
                found.append((run[begin].path[depth], begin, i - 1, depth))
                begin = i
    return found


def write_timeline(run, path, names=lambda f: (f.timeline, f.short, f.mangled)):
    """`names` gives declaration, bare name and linker's name (None: not recorded) of a function."""
    db = sqlite3.connect(path)
    db.executescript(SCHEMA.read_text(encoding="utf-8"))
    strings = {}

    def text(value):
        return None if value is None else strings.setdefault(value, len(strings) + 1)

    call = text("cudaLaunchKernel_v7000")
    start = 0
    for i, k in enumerate(run):
        begin, declaration, short, mangled = 10_000 + 1000 * i, *(text(n) for n in names(k.function))
        start = max(start, begin + 500)
        db.execute("INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (?, ?, 0, ?, ?, ?, 0, NULL)", (begin, begin + 300, THREAD, i + 1, call))
        db.execute("INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (?, ?, 0, 1, NULL, 7, ?, ?, ?, ?, ?, 0, ?, ?, 1, 1, 256, 1, 1, 1024, 0, 0, 0, NULL)",
                   (start, start + k.duration, i + 1, PROCESS, declaration, short, mangled, k.registers, k.grid))
        start += k.duration
    for name, first, last, depth in ranges(run):
        db.execute("INSERT INTO NVTX_EVENTS (start, end, eventType, text, globalTid, domainId) VALUES (?, ?, 59, ?, ?, 0)",
                   (10_000 + 1000 * first - 100 + 10 * depth, 10_000 + 1000 * last + 400 - 10 * depth, name, THREAD))
    db.executemany("INSERT INTO StringIds VALUES (?, ?)", [(i, s) for s, i in strings.items()])
    db.execute("INSERT INTO PROCESSES VALUES (?, 100, 'model')", (PROCESS,))
    db.execute("INSERT INTO META_DATA_EXPORT VALUES ('EXPORT_SCHEMA_VERSION', '3.20.2')")
    db.execute("INSERT INTO TARGET_INFO_GPU VALUES (281474976710656, 0, 'NVIDIA T1', '', 1, 4194304, 16000000000, 1500000000000, "
               "1590000000, 40, 'GPU-0', 'TU104', 0, 7, 5)")
    db.commit()
    db.close()


DRAM = ("dram__bytes_read.sum", "dram__bytes_write.sum")


def kernel_of(launch, names, with_ranges, metrics):
    declaration, mangled = names(launch.function)
    flop = "smsp__sass_thread_inst_executed_op_{}_pred_on.sum"
    measured = {
        DRAM[0]: launch.read, DRAM[1]: launch.write,
        "lts__t_sectors_op_read.sum": 3 * launch.read // SECTOR, "lts__t_sectors_op_write.sum": 2 * launch.write // SECTOR,
        flop.format("fadd"): 0, flop.format("fmul"): 0, flop.format("ffma"): launch.flop // 2,
        "sm__warps_active.avg.pct_of_peak_sustained_active": launch.occupancy,
    }
    shape = {
        "gpu__time_duration.sum": 3 * launch.duration + 17, "launch__registers_per_thread": launch.registers,
        "launch__shared_mem_per_block": 2048, "launch__shared_mem_per_block_static": 1024,
        "launch__shared_mem_per_block_dynamic": 0, "launch__shared_mem_per_block_driver": 1024,
    }
    kernel = {"name": declaration, "function": launch.function.short, "mangled": mangled, "grid": [launch.grid, 1, 1],
              "block": [256, 1, 1], "thread": 5,
              "metrics": shape | {n: v for n, v in measured.items() if metrics is None or n in metrics}}
    if with_ranges:
        kernel["ranges"] = {"domains": {"0": ""}, "push_pop": [[5, 0, list(launch.path)]]}
    return kernel


def write_report(measured, path, names=lambda f: (f.report, f.mangled), with_ranges=True, metrics=None):
    """The measured launches, and behind them one of a kernel that the timeline does not have. `metrics`: only these."""
    extra = Launch(EXTRA, 8, 32, measured[0].path, 10**9, 10**9, 10**9, 50.0, 10**6)
    kernels = [kernel_of(k, names, with_ranges, metrics) for k in [*measured, extra]]
    session = {"devices": [{"index": 0, "name": "NVIDIA T1", "attributes": {
        "device__attribute_compute_capability_major": 7, "device__attribute_compute_capability_minor": 5}}]}
    path.write_bytes(ncu_report.report({"session": session, "kernels": kernels}))


def module_sums(run, exact_names=False):
    """{path of names: sums over the kernels of the module and below}, of those kernels that were measured."""
    sums = {}
    for k in run:
        path = k.path if exact_names else tuple(re.sub("[0-9]+", "#", name) for name in k.path)
        for depth in range(1, len(path) + 1):
            node = sums.setdefault(path[:depth], dict.fromkeys(("read", "write", "flop", "ns", "matched_ns", "warps"), 0))
            node["ns"] += k.duration
            if k.function is SORT:
                continue
            node["read"] += k.read
            node["write"] += k.write
            node["flop"] += k.flop
            node["matched_ns"] += k.duration
            node["warps"] += k.occupancy * k.duration
    return sums


def fitted_bandwidth(sums):
    """Bytes per ns by least squares of time over bytes of the innermost modules, and the correlation of the two."""
    points = [(s["read"] + s["write"], s["matched_ns"]) for path, s in sums.items() if len(path) == 3]
    n = len(points)
    mx, my = sum(x for x, _ in points) / n, sum(y for _, y in points) / n
    xx, yy = sum((x - mx) ** 2 for x, _ in points), sum((y - my) ** 2 for _, y in points)
    xy = sum((x - mx) * (y - my) for x, y in points)
    return xx / xy, xy / (xx * yy) ** 0.5
