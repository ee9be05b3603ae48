#!/usr/bin/env python3
"""`sonde record -t cublas,cudnn,nccl,cusparse,cusolver`: calls of stand-ins for the libraries, with arguments and results
of every shape, arrive unharmed and are in the profile, however the program is bound to the library."""

import os
import platform
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "shared"))
from _recorded import PATIENCE_S, PUSH_POP, SONDE, TOOLS, Recorded, check

ALL = "cublas,cudnn,nccl,cusparse,cusolver"
CUBLAS = TOOLS / "fake_libraries/libcublas.so.12"
SKIPPED = 77

CUBLAS_CALLS = {"cublasCreate_v2": 1, "cublasGemmStridedBatchedEx": 1, "cublasDouble": 1, "cublasLongDouble": 1,
                "cublasComplex": 1, "cublasDoubleComplex": 1, "cublasLarge": 1, "cublasVariable": 2,
                "cublasGetStatusName": 1, "cublasNested": 1}
CUDNN_CALLS = {"cudnnThirty": 1, "cudnnUsesCublas": 1}
RANGES = {("NCCL", "ncclCommInitRank"): 1, ("NCCL", "ncclAllReduce"): 1, ("cuSPARSE", "cusparseSpMV"): 1,
          ("cuSOLVER", "cusolverDnSgetrf"): 1}


def compare(path, *words, traces=ALL, **settings):
    """What the program does is the same with and without; what was recorded of it, and what was said."""
    run = lambda command: subprocess.run(list(map(str, command)), capture_output=True, text=True, check=False,
                                         timeout=PATIENCE_S, **settings)
    alone = run(words)
    under = run([SONDE, "record", "-t", traces, "-o", path, "--", *words])
    check(alone.returncode == 0, (alone.returncode, alone.stderr))
    check((under.returncode, under.stdout) == (0, alone.stdout), (under.returncode, alone.stdout, under.stdout,
                                                                   under.stderr))
    return Recorded(path), under.stderr


def calls(recorded, table):
    return dict(recorded.rows(f"SELECT value, count(*) FROM {table} JOIN StringIds ON id = nameId GROUP BY value"))


def ranges(recorded):
    rows = recorded.rows("SELECT d.text, e.text, count(*) FROM NVTX_EVENTS e JOIN NVTX_EVENTS d ON d.eventType = 75 AND "
                         "d.domainId = e.domainId AND d.globalTid >> 24 = e.globalTid >> 24 WHERE e.eventType = ? "
                         "GROUP BY 1, 2", PUSH_POP)
    return {(domain, name): count for domain, name, count in rows}


def every_shape(folder):
    for program in ("library_program", "library_program_bound"):
        recorded, _ = compare(folder / f"{program}.sqlite", TOOLS / program, "shapes")
        check(calls(recorded, "CUBLAS_EVENTS") == CUBLAS_CALLS, (program, calls(recorded, "CUBLAS_EVENTS")))
        check(calls(recorded, "CUDNN_EVENTS") == CUDNN_CALLS, (program, calls(recorded, "CUDNN_EVENTS")))
        check(ranges(recorded) == RANGES, (program, ranges(recorded)))
        ((inner, outer),) = recorded.rows(
            "SELECT (SELECT max(start) FROM CUBLAS_EVENTS), start <= (SELECT max(start) FROM CUBLAS_EVENTS) AND end >= "
            "(SELECT max(end) FROM CUBLAS_EVENTS) FROM CUDNN_EVENTS ORDER BY start DESC LIMIT 1")
        check(inner and outer == 1, "cuBLAS' call lies in cuDNN's")


def what_was_asked_for(folder):
    recorded, _ = compare(folder / "some.sqlite", TOOLS / "library_program", "shapes", traces="cudnn,cusolver-verbose")
    check(not calls(recorded, "CUBLAS_EVENTS") and calls(recorded, "CUDNN_EVENTS") == CUDNN_CALLS, "others")
    check(ranges(recorded) == {("cuSOLVER", "cusolverDnSgetrf"): 1}, ranges(recorded))


def calls_that_do_not_come_back(folder):
    """Exceptions, longjmp() and the thread's end go through; what comes after is recorded."""
    for program in ("library_program", "library_program_bound"):
        recorded, _ = compare(folder / f"leaves_{program}.sqlite", TOOLS / program, "leaves")
        check(calls(recorded, "CUBLAS_EVENTS") == {"cublasGetStatusName": 1}, calls(recorded, "CUBLAS_EVENTS"))


def threads_and_stacks(folder):
    recorded, _ = compare(folder / "threads.sqlite", TOOLS / "library_program", "threads")
    check(calls(recorded, "CUBLAS_EVENTS") == {"cublasGetStatusName": 40000}, calls(recorded, "CUBLAS_EVENTS"))
    ((count,),) = recorded.rows("SELECT count(DISTINCT globalTid) FROM CUBLAS_EVENTS")
    check(count == 4 and ranges(recorded) == {("cuSPARSE", "cusparseSpMV"): 1}, "threads, and a child's call")
    for part in ("coroutine", "guarded"):
        recorded, _ = compare(folder / f"{part}.sqlite", TOOLS / "library_program", part)
        check(ranges(recorded) == {("cuSOLVER", "cusolverDnSgetrf"): 1}, ranges(recorded))


def opened_later(folder):
    """With dlopen(), RTLD_DEEPBIND too; and no library is there for a program that looks for one."""
    recorded, _ = compare(folder / "opened.sqlite", TOOLS / "library_opener", CUBLAS)
    check(calls(recorded, "CUBLAS_EVENTS") == {"cublasVariable": 3}, calls(recorded, "CUBLAS_EVENTS"))


def opened_too_often(folder):
    """Each time takes new places; where there are none left, that is said, with the number."""
    symbols = subprocess.run(["nm", "-D", "--defined-only", CUBLAS], capture_output=True, text=True, check=True).stdout
    functions = sum(" T cublas" in line for line in symbols.splitlines())
    times = 2000
    recorded, said = compare(folder / "often.sqlite", TOOLS / "library_opener", CUBLAS, times)
    lost = (3 + times) * functions - 16384
    check(f"each reload of a library takes new entries: {lost}\n" in said, (lost, said))
    check(any("library functions whose calls are not recorded" in text for text in recorded.remarks()), recorded.remarks())


def nccl_ranges_once(folder):
    """Those that NCCL makes itself count, where they are recorded."""
    recorded, _ = compare(folder / "own.sqlite", TOOLS / "library_program", "own_ranges", traces="nvtx,nccl")
    check(ranges(recorded) == {("NCCL", "ncclAllReduce"): 1}, ranges(recorded))
    recorded, _ = compare(folder / "ours.sqlite", TOOLS / "library_program", "own_ranges", traces="nccl")
    check(ranges(recorded) == {("NCCL", "ncclAllReduce"): 1}, ranges(recorded))


def none_there(folder):
    """A program without these libraries runs as before, and that none was called is said."""
    recorded, said = compare(folder / "none.sqlite", "/bin/sh", "-c", "echo done", traces=ALL + ",osrt")
    check("no call of cublas, cudnn, nccl, cusparse, cusolver was recorded" in said, said)
    check(any("no call of cublas" in text for text in recorded.remarks()), recorded.remarks())


def variables_of_threads(folder):
    """A library with many of them can still be preloaded; what the program set of glibc itself stays, and counts."""
    path = TOOLS / "liblarge_tls.so"
    setting = "glibc.rtld.optional_static_tls"
    words = ["/bin/sh", "-c", "echo ${GLIBC_TUNABLES##*:}"]
    for number, own in enumerate(("glibc.malloc.perturb=0", f"{setting}=131072")):
        compare(folder / f"tls{number}.sqlite", *words, env={**os.environ, "LD_PRELOAD": str(path), "GLIBC_TUNABLES": own})
    run = subprocess.run([SONDE, "record", "-t", "cublas", "-o", folder / "less.sqlite", "--", *words], check=False,
                         env={**os.environ, "LD_PRELOAD": str(path), "GLIBC_TUNABLES": f"{setting}=512"},
                         capture_output=True, text=True, timeout=PATIENCE_S)
    check(run.returncode == 127 and "static TLS" in run.stderr, "what the program set counts")


def nothing_to_do(folder):
    """A program that the auditor reaches without its settings, as where a part of the environment was dropped, runs."""
    names = "/proc/self/environ"
    found = subprocess.run([SONDE, "record", "-t", "cublas", "-o", folder / "environment.sqlite", "--", "cat", names],
                           capture_output=True, text=True, check=True, timeout=PATIENCE_S).stdout.split("\0")
    (auditor,) = (line.split("=", 1)[1] for line in found if line.startswith("LD_AUDIT="))
    run = subprocess.run(["/bin/echo", "done"], capture_output=True, text=True, check=False, timeout=PATIENCE_S,
                         env={**os.environ, "LD_AUDIT": auditor})
    check((run.returncode, run.stdout, run.stderr) == (0, "done\n", ""), run)


def main():
    libc = tuple(map(int, os.confstr("CS_GNU_LIBC_VERSION").split()[1].split(".")))
    if platform.machine() != "x86_64" or libc < (2, 35):
        print(f"skipped: it takes glibc 2.35 on x86-64; here are {libc} and {platform.machine()}")
        sys.exit(SKIPPED)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for one in (every_shape, what_was_asked_for, calls_that_do_not_come_back, threads_and_stacks, opened_later,
                    opened_too_often, nccl_ranges_once, none_there, variables_of_threads, nothing_to_do):
            one(folder)
            print(f"{one.__name__}: ok", flush=True)


if __name__ == "__main__":
    main()
