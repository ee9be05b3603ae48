#!/usr/bin/env python3
"""`sonde record --metrics` through the stand-in for CUPTI's range profiler (tests/fakes/cuda/range_profiler.cc), whose
values are known by construction: the chosen launches and no others, every value, and what is said where nothing can be
measured."""

import json
import os
import re
import subprocess
import tempfile
from pathlib import Path

from _recorded import PATIENCE_S, SONDE, TOOLS, Recorded, check

PROGRAM = TOOLS / "cuda_program"
FAKE = TOOLS.parent / "fake_cuda"
METRICS = ["sm__cycles_active.avg", "dram__bytes_read.sum", "gpu__time_duration.sum",
           "sm__throughput.avg.pct_of_peak_sustained_elapsed"]
THREADS = 120 * 2 * 3 * 128 * 4  # of each launch of cuda_program
NS = {"vector_add": 20000, "gemm": 150000, "scale": 500}


def environment(version="13.0", library="libcupti.so.13", **more):
    return os.environ | {"LD_LIBRARY_PATH": f"{FAKE / 'driver'}:{FAKE}", "SONDE_CUPTI": str(FAKE / version / library)} | more


def record(path, *options, program=("plain", "3"), **settings):
    command = [SONDE, "record", "-f", "-o", path, *options, "--", PROGRAM, *program]
    return subprocess.run(list(map(str, command)), capture_output=True, text=True, timeout=PATIENCE_S, check=False,
                          env=environment(**settings))


def value_of(metric, function):
    """What the stand-in gives, by hand."""
    if metric.startswith("gpu__time_duration"):
        return NS[function]
    return len(metric) if "pct" in metric else len(metric) * THREADS


def profiles(path):
    """[(function, [ranges], {metric: value})] in the order of the launches."""
    recorded = Recorded(path)
    found = []
    for (row, function) in recorded.rows("SELECT p.id, value FROM SONDE_KERNEL_PROFILE p JOIN StringIds s ON s.id = "
                                         "p.functionNameId ORDER BY launchId"):
        ranges = [name for (name,) in recorded.rows("SELECT value FROM SONDE_KERNEL_RANGE r JOIN StringIds s ON s.id = "
                                                    "nameId WHERE profileId = ? ORDER BY r.rowid", row)]
        values = dict(recorded.rows("SELECT s.value, m.value FROM SONDE_KERNEL_METRIC m JOIN StringIds s ON s.id = "
                                    "m.nameId WHERE profileId = ?", row))
        found.append((function, ranges, values))
    return found


def functions(path):
    return [function for function, _, _ in profiles(path)]


def values(folder):
    path = folder / "values.sqlite"
    alone = subprocess.run([PROGRAM, "plain", "3"], capture_output=True, text=True, env=environment(), check=True)
    run = record(path, "--metrics", ",".join(METRICS))
    check(run.returncode == 0, run.stderr)
    without_times = lambda text: re.sub(r'"(last_end|pid|is_listened)": \d+', "", text)
    check(without_times(run.stdout) == without_times(alone.stdout), (run.stdout, alone.stdout))
    found = profiles(path)
    check([function for function, _, _ in found] == ["vector_add", "gemm"] * 3, found)
    for index, (function, ranges, metrics) in enumerate(found):
        check(ranges == [f"step {index // 2 % 2}", "forward"], ranges)
        for metric in METRICS:
            check(metrics[metric] == value_of(metric, function), (function, metric, metrics[metric]))
        check(metrics["launch__grid_size"] == 720 and metrics["launch__block_size"] == 512, metrics)
        check(metrics["launch__registers_per_thread"] == {"vector_add": 16, "gemm": 128}[function], metrics)
    check("measured 6 kernel launches in 1 pass each (24 values)" in run.stderr and "warning" not in run.stderr, run.stderr)


def chosen(folder):
    path = folder / "chosen.sqlite"
    metric = ("--metrics", METRICS[0])
    for options, wanted in (
            (["--kernel-regex", "gem+"], ["gemm"] * 3),
            (["--kernel-regex", "^(vector_add|scale)$"], ["vector_add"] * 3),
            (["--kernel-name", "gemm"], ["gemm"] * 3),
            (["--kernel-name", "regex:^vec"], ["vector_add"] * 3),
            (["--launch-skip", "2", "--launch-count", "3"], ["vector_add", "gemm", "vector_add"]),
            (["--kernel-regex", "gemm", "--launch-skip", "1", "--launch-count", "1"], ["gemm"]),
            (["--nvtx-include", "step 1"], ["vector_add", "gemm"]),
            (["--nvtx-include", "@step 1/", "--kernel-regex", "gemm"], ["gemm"])):
        run = record(path, *metric, *options)
        check(run.returncode == 0 and functions(path) == wanted, (options, functions(path), run.stderr))
    run = record(path, *metric, "--kernel-regex", "nothing")
    check("warning: no kernel was measured: no launch passed --kernel-regex nothing" in run.stderr, run.stderr)
    run = record(path, *metric, "--nvtx-include", "other@step 1")
    check("no launch passed --nvtx-include other@step 1" in run.stderr, run.stderr)


def threads_processes_graphs(folder):
    path = folder / "threads.sqlite"
    run = record(path, "--metrics", METRICS[2], program=("threads", "20"))
    found = profiles(path)
    check(len(found) == 80 and all(m[METRICS[2]] == 20000 for _, _, m in found), (len(found), run.stderr))
    record(path, "--metrics", METRICS[2], program=("processes", "2"))
    found = Recorded(path).rows("SELECT processId, count(*) FROM SONDE_KERNEL_PROFILE GROUP BY processId")
    check(sorted(count for _, count in found) == [4, 6], found)
    run = record(path, "--metrics", METRICS[2], program=("graph", "3"))
    check(functions(path) == [] and "kernels in CUDA graphs were not measured" in run.stderr, run.stderr)
    check("captured into a CUDA graph" in run.stderr, run.stderr)


def not_run_again(folder):
    """A kernel that waits for its peers would wait for ever."""
    path = folder / "collective.sqlite"
    run = record(path, "--metrics", METRICS[2], program=("collective", "3"))
    check(functions(path) == ["vector_add"] * 3, functions(path))
    check("cooperative launches were not measured" in run.stderr and "ncclDevKernel_AllReduce_Sum_f" in run.stderr, run.stderr)
    check(json.loads(run.stdout)["kernels"]["_Z29ncclDevKernel_AllReduce_Sum_fP8ncclArgs"][0] == 3, run.stdout)


def done(folder):
    """What is measured costs the rest of the program nothing, and what fails is not tried again."""
    path = folder / "done.sqlite"
    for options, watched in ((["--launch-count", "2"], "watched: 0"), ([], "watched: 8")):
        run = record(path, "--metrics", METRICS[2], *options, program=("watched", "5"))
        check(watched in run.stderr, (options, run.stderr))
    run = record(path, "--metrics", METRICS[2], program=("plain", "5"), SONDE_FAKE_PROFILER="RangeProfilerStop=999")
    check(run.stderr.count("kernels were not measured further") == 1 and functions(path) == [], run.stderr)


def not_to_be_had(folder):
    path = folder / "refused.sqlite"
    for failure, said in (("RangeProfilerEnable=35", "NVreg_RestrictProfilingToAdminUsers=0"),
                          ("ProfilerGetCounterAvailability=35", "CAP_SYS_ADMIN"),
                          ("RangeProfilerStart=9", "another profiler"),
                          ("RangeProfilerEnable=43", "MIG"),
                          ("ProfilerHostInitialize=46", "older than the GPU"),
                          ("RangeProfilerStop=999", "cuptiRangeProfilerStop gave 999"),
                          ("ProfilerHostEvaluateToGpuValues=1", "cuptiProfilerHostEvaluateToGpuValues gave 1")):
        run = record(path, "--metrics", METRICS[0], SONDE_FAKE_PROFILER=failure)
        account = json.loads(run.stdout)
        check(run.returncode == 0 and account["kernels"], (failure, run.stdout))
        check("warning: kernels were not measured" in run.stderr and said in run.stderr, (failure, run.stderr))
        check(functions(path) == [] and any(said in text for text in Recorded(path).remarks()), failure)
    run = record(path, "--metrics", METRICS[0], version="12.4", library="libcupti.so.12")
    check("CUDA 12.6 and later" in run.stderr and functions(path) == [], run.stderr)
    run = record(path, "--metrics", METRICS[0], SONDE_CUPTI="/nonexistent/libcupti.so")
    check("kernels were not measured" in run.stderr, run.stderr)
    run = record(path, "--metrics", METRICS[0], SONDE_FAKE_CUPTI="subscribe_fails=39")
    check("another profiler has attached" in run.stderr, run.stderr)


def metrics_that_the_chip_lacks(folder):
    path = folder / "lacks.sqlite"
    run = record(path, "--metrics", "sm__cycles_missing.avg,sm__cycles_active.avg,pcie__read_bytes.sum,dram__sectors")
    check("this GPU cannot count: sm__cycles_missing.avg (near it: sm__cycles_active)" in run.stderr, run.stderr)
    check("CUPTI cannot count beside the others: pcie__read_bytes.sum" in run.stderr, run.stderr)
    ((_, _, found), *_) = profiles(path)
    wanted = {"sm__cycles_active.avg"} | {f"dram__sectors.{rollup}" for rollup in ("avg", "max", "min", "sum")}
    check(wanted <= found.keys() and "pcie__read_bytes.sum" not in found, found.keys())
    run = record(path, "--metrics", "pcie__read_bytes.sum")
    check(profiles(path)[0][2]["pcie__read_bytes.sum"] == len("pcie__read_bytes.sum") * THREADS, run.stderr)


def sets(folder):
    path = folder / "sets.sqlite"
    for name, sections in (("basic", ["SpeedOfLight", "LaunchStats", "Occupancy", "WorkloadDistribution"]),
                           ("detailed", ["SpeedOfLight_RooflineChart", "ComputeWorkloadAnalysis", "MemoryWorkloadAnalysis"])):
        run = record(path, "--set", name, "--launch-count", "1")
        check(run.returncode == 0 and "this GPU cannot count" not in run.stderr, run.stderr)
        found = {s for (s,) in Recorded(path).rows("SELECT value FROM SONDE_KERNEL_SECTION k JOIN StringIds s ON s.id = identifierId")}
        check(found >= set(sections), found)
        page = subprocess.run([SONDE, "kernel", "-q", path], capture_output=True, text=True, check=True).stdout
        check("GPU Speed Of Light Throughput" in page and "vector_add" in page, page)
    metrics = profiles(path)[0][2]
    for metric, value in metrics.items():
        if not metric.startswith(("launch__", "sm__maximum_warps")):
            check(value == value_of(metric, "vector_add"), (metric, value))


def answered(folder):
    path = folder / "answered.sqlite"
    for options, said in ((["--section", "PmSampling"], "--gpu-metrics-devices"), (["--set", "basci"], "did you mean 'basic'"),
                          (["--section", "SpeedOfLigth"], "SpeedOfLight"), (["--metrics", "detaild"], "did you mean 'detailed'"),
                          (["--metrics", "sass__inst_executed_per_opcode"], "not measured yet"),
                          (["--kernel-regex", "(", "--metrics", "basic"], "regular expression"),
                          (["--kernel-regex", "x"], "--metrics basic"), (["--list-sections"], "sonde kernel --list-sections"),
                          (["--print-details", "all"], "--print-details all"), (["-i", "file"], "sonde kernel -i"),
                          (["--nvtx-include", "a/b", "--metrics", "basic"], "one push/pop range")):
        run = record(path, *options)
        check(run.returncode == 2 and said in run.stderr and run.stdout == "", (options, run.returncode, run.stderr))
    run = record(path, "--metrics", METRICS[0], "--replay-mode", "application", "--target-processes", "all", "--nvtx")
    check(run.returncode == 0 and "--replay-mode kernel does" in run.stderr and len(functions(path)) == 6, run.stderr)


def layouts(_):
    program = TOOLS / "profiler_layouts"
    if not program.exists():
        return "skipped: no CUDA toolkit with cupti_range_profiler.h was there when this tree was configured"
    check(subprocess.run([program], check=False).returncode == 0, "sizes of CUPTI's structures")
    return "ok"


def main():
    with tempfile.TemporaryDirectory() as name:
        for part in (values, chosen, threads_processes_graphs, not_run_again, done, not_to_be_had,
                     metrics_that_the_chip_lacks, sets, answered, layouts):
            print(f"{part.__name__}: {part(Path(name)) or 'ok'}", flush=True)


if __name__ == "__main__":
    main()
