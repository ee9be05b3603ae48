#!/usr/bin/env python3
"""Sanitizers find nothing in what Sonde injects: the library, the stand-ins for CUDA and a program are built with
ThreadSanitizer, and with AddressSanitizer and UndefinedBehaviorSanitizer. The program is recorded in each way that the test
of faults has, and with several threads in each part of the library."""

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

SOURCES = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(SOURCES / "tests/tools/shared"), str(SOURCES / "tests/tools/record")]
import record_faults  # noqa: E402
from _recorded import PATIENCE_S, SONDE, check  # noqa: E402

FAKE = "tests/fake_cuda"
TARGETS = ["libsonde_inject.so", "libsonde_audit.so", "sonde-self-test", f"{FAKE}/driver/libcuda.so.1",
           *(f"{FAKE}/13.0/{name}" for name in ("libcupti.so.13", "libnvperf_host.so", "libnvperf_target.so")),
           "tests/tools/cuda_program"]
# By its name: -fsanitize's value, the name of its functions, and how its reports are kept.
SANITIZERS = {
    "tsan": ("thread", "__tsan_", {"TSAN_OPTIONS": "log_path={log} exitcode=66"}),
    # Leaks: the stand-ins and the library keep what they have until the process ends.
    "asan": ("address,undefined", "__asan_", {"ASAN_OPTIONS": "log_path={log} detect_leaks=0",
                                              "UBSAN_OPTIONS": "log_path={log} halt_on_error=1"}),
}
WAYS = record_faults.WAYS | {
    "crowd": (["-t", "cuda,nvtx,osrt"], ["crowd", "3"]),
    "streams": (["-t", "cuda,nvtx,osrt"], ["streams", "3"]),
    "forks": (["-t", "cuda"], ["forks", "2"]),
    "resets": (["-t", "cuda"], ["resets", "2"]),
    "many": (["-t", "cuda", "--cuda-flush-interval=10"], ["many", "3000"]),
    "full_threads": (["--set", "full"], ["threads", "3"]),
    "metrics_threads": (["--metrics", "sm__cycles_active.avg"], ["threads", "3"]),
    "instructions_threads": (["--instruction-counts"], ["threads", "3"]),
    "ranges": (["-t", "cuda,nvtx,osrt", "-c", "cudaProfilerApi", "--capture-range-end=repeat", "--gpu-metrics-devices=all"],
               ["profiler", "5"]),
    "last": (["-t", "cuda,nvtx", "--last", "60"], ["many", "20000"]),
}


def build(tree, sanitizer):
    flags = f"-fsanitize={sanitizer} -fno-sanitize=function,vptr"
    subprocess.run(["cmake", "-S", SOURCES, "-B", tree, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Debug", f"-DSONDE_SANITIZE={sanitizer}",
                    "-DCMAKE_CXX_COMPILER=clang++-19", "-DCMAKE_C_COMPILER=clang-19", "-DCMAKE_CXX_FLAGS_DEBUG=-O1 -g1",
                    f"-DCMAKE_C_FLAGS={flags}", f"-DCMAKE_CXX_FLAGS={flags}", "-DSONDE_SANITIZE_INJECTED=ON",
                    "-DSONDE_UNITY_KIB=320"], check=True, stdout=subprocess.DEVNULL)
    subprocess.run(["ninja", "-C", tree, *TARGETS], check=True, stdout=subprocess.DEVNULL)
    # The recorder itself is the one that is tested: it takes the library that lies beside it.
    subprocess.run(["cp", SONDE, tree / "sonde"], check=True)


def environment(tree, log, options):
    fake = tree / FAKE
    settings = {name: value.format(log=log) for name, value in options.items()}
    return dict(os.environ) | settings | {"LD_LIBRARY_PATH": str(fake / "driver"), "SONDE_FAKE_CUPTI": "",
                                          "SONDE_CUPTI": str(fake / "13.0/libcupti.so.13")}


def reports_of(tree, folder, name, sanitizer_options):
    options, words = WAYS[name]
    log = folder / name
    recorded = subprocess.run([tree / "sonde", "record", "--self-test=false", "-f", "-o", folder / "run.sqlite", *options, "--",
                               tree / "tests/tools/cuda_program", *words], env=environment(tree, log, sanitizer_options), capture_output=True,
                              text=True, check=False, timeout=PATIENCE_S)
    # CUPTI delivers nothing of a program that leaves at once.
    has_kernels = re.search(r"[1-9][0-9]* kernel", recorded.stderr) is not None
    check(has_kernels or name in ("abort", "terminate", "leave"), f"{name}: {recorded.stderr}")
    return "".join(path.read_text() for path in folder.glob(f"{name}.[0-9]*"))


def check_with(sanitizer, folder):
    value, functions, options = SANITIZERS[sanitizer]
    tree = folder / sanitizer
    build(tree, value)
    symbols = subprocess.run(["nm", "-D", tree / "libsonde_inject.so"], capture_output=True, text=True, check=True).stdout
    check(functions in symbols, "the library was not built with the sanitizer")
    found = {way: reports for way in WAYS if (reports := reports_of(tree, folder, way, options))}
    for way, reports in found.items():
        print(f"{way}:\n{reports[:4000]}")
    check(not found, f"{sanitizer}: reports in {', '.join(found)}")
    print(f"{sanitizer}: {len(WAYS)} ways of recording, no report", flush=True)


def main():
    for sanitizer in sys.argv[1:] or SANITIZERS:
        with tempfile.TemporaryDirectory() as name:
            check_with(sanitizer, Path(name))


if __name__ == "__main__":
    main()
