"""Runs programs that use the stand-in for CUDA (tests/fakes/cuda) under `sonde record`."""

import json
import os
import subprocess

from _recorded import PATIENCE_S, SONDE, TOOLS, Recorded, check

FAKES = TOOLS.parent / "fake_cuda"
PROGRAM = TOOLS / "cuda_program"
VERSIONS = ("11.4", "11.8", "12.0", "12.4", "12.8", "13.0", "13.4")
LATEST = "13.0"
ADD, GEMM, SCALE = "_Z10vector_addPKfS0_Pfi", "_ZN4blas4gemmIfLi128EEEvPKT_S3_PS1_i", "scale"


def environment(version=LATEST, faults="", driver=True):
    """That of a host with the stand-in; version None: without CUPTI."""
    variables = dict(os.environ, SONDE_FAKE_CUPTI=faults)
    if driver:
        variables["LD_LIBRARY_PATH"] = str(FAKES / "driver")
    (cupti,) = (FAKES / version).glob("libcupti*") if version else ("/nonexistent/libcupti.so",)
    variables["SONDE_CUPTI"] = str(cupti)
    return variables


def alone(*words, **settings):
    """The finished process without recording."""
    return subprocess.run([str(PROGRAM), *map(str, words)], capture_output=True, text=True, timeout=PATIENCE_S, check=False,
                          env=environment(), **settings)


def record(output, *words, options=(), version=LATEST, faults="", driver=True, traces="cuda,nvtx"):
    """The finished process of `sonde record`."""
    command = [SONDE, "record", "-t", traces, "-o", str(output), *options, "--", str(PROGRAM), *map(str, words)]
    return subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE_S, check=False,
                          env=environment(version, faults, driver))


def accounts(run):
    """What the program says it did: one a line, one a process."""
    return [json.loads(line) for line in run.stdout.splitlines()]


class Cuda(Recorded):
    """A profile's GPU tables."""

    def kernels(self):
        """{mangled name: [count, ns]}, as the program's account."""
        return {name: [count, ns] for name, count, ns in self.rows(
            "SELECT value, count(*), sum(end - start) FROM CUPTI_ACTIVITY_KIND_KERNEL JOIN StringIds ON id = mangledName "
            "GROUP BY value")}

    def copies(self):
        """{copyKind: [count, bytes, ns]}"""
        return {str(kind): [count, size, ns] for kind, count, size, ns in self.rows(
            "SELECT copyKind, count(*), sum(bytes), sum(end - start) FROM CUPTI_ACTIVITY_KIND_MEMCPY GROUP BY copyKind")}

    def sets(self):
        """[count, bytes, ns]"""
        ((*found,),) = self.rows("SELECT count(*), coalesce(sum(bytes), 0), coalesce(sum(end - start), 0) "
                                 "FROM CUPTI_ACTIVITY_KIND_MEMSET") or [(0, 0, 0)]
        return found

    def api(self):
        """{name: count}"""
        return dict(self.rows("SELECT value, count(*) FROM CUPTI_ACTIVITY_KIND_RUNTIME JOIN StringIds ON id = nameId "
                              "GROUP BY value"))

    def launches(self):
        """(mangled name, start of the launch, end of the kernel), in the order of the launches."""
        return self.rows("SELECT value, r.start, k.end FROM CUPTI_ACTIVITY_KIND_KERNEL k JOIN StringIds s ON s.id = mangledName "
                         "JOIN CUPTI_ACTIVITY_KIND_RUNTIME r USING (correlationId) ORDER BY r.start")

    def steps(self):
        """Ranges of steps that have ended."""
        return [step for step in self.ranges() if (step[0] or "").startswith("step") and step[2] is not None]

    def check_paced_steps(self, steps):
        """Each of these steps of the scenario "paced" has its two kernels, once."""
        launches = self.launches()
        for name, begin, end, _ in steps:
            found = sorted(kernel for kernel, launched, _ in launches if begin <= launched < end)
            check(found == sorted([ADD, GEMM]), (self.path, name, begin, end, found))

    def clock_at_start(self):
        """CLOCK_MONOTONIC at the profile's 0."""
        ((clock,),) = self.rows("SELECT systemClockNs FROM TARGET_INFO_SESSION_START_TIME")
        return clock

    def work(self):
        """(table, start, end, globalPid, streamId, correlationId) of all that ran on the GPU."""
        return [(table, *row) for table in ("KERNEL", "MEMCPY", "MEMSET") for row in self.rows(
            f"SELECT start, end, globalPid, streamId, correlationId FROM CUPTI_ACTIVITY_KIND_{table}")]

    def has_remark(self, *words):
        return any(all(word in text for word in words) for text in self.remarks())
