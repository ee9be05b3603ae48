#!/usr/bin/env python3
"""`sonde record --metrics` through the stand-in for CUPTI's range profiler (tests/fakes/cuda/range_profiler.cc), whose
values are known by construction: the chosen launches and no others, every value, and what is said where nothing can be
measured."""

import fcntl
import json
import math
import os
import pty
import re
import struct
import subprocess
import sys
import tempfile
import termios
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "shared"))
from _layouts import same_layouts
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
    if metric.endswith(".sum.per_second"):
        return value_of(metric.removesuffix(".per_second"), function) / (NS[function] / 1e9)
    if metric == "dram__bytes.sum":
        return (len("dram__bytes_read.sum") + len("dram__bytes_write.sum")) * THREADS
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
            (["--nvtx-include", "step 1/"], ["vector_add", "gemm"]),
            (["--nvtx-include", "@step 1/", "--kernel-regex", "gemm"], ["gemm"])):
        run = record(path, *metric, *options)
        check(run.returncode == 0 and functions(path) == wanted, (options, functions(path), run.stderr))
    run = record(path, *metric, "--kernel-regex", "nothing")
    check("warning: no kernel was measured: no launch passed --kernel-regex nothing" in run.stderr, run.stderr)
    run = record(path, *metric, "--nvtx-include", "other@step 1/")
    check("no launch passed --nvtx-include other@step 1/" in run.stderr, run.stderr)
    run = record(path, *metric, "--nvtx-include", "step 1")
    check("'step 1/' selects a push/pop range" in run.stderr and functions(path) == [], run.stderr)


def reset_devices(folder):
    """A context where a destroyed one lay is another, and needs the first one was."""
    path = folder / "resets.sqlite"
    run = record(path, "--metrics", ",".join(METRICS), program=("resets", "3"))
    check(run.returncode == 0 and "warning" not in run.stderr, run.stderr)
    for function, _, metrics in profiles(path):
        check(all(metrics[metric] == value_of(metric, function) for metric in METRICS), (function, metrics))
    contexts = Recorded(path).rows("SELECT contextId FROM SONDE_KERNEL_PROFILE ORDER BY launchId")
    check(functions(path) == ["vector_add", "gemm"] * 3 and contexts == [(1,), (1,), (2,), (2,), (3,), (3,)], contexts)


# The launches of cuda_program's scenario "places", by their times.
ALL_PLACES = set(range(1, 12))


def places(folder):
    """Ranges around launches as ncu's manual has them, start/end ones among them, of all threads and domains."""
    path = folder / "places.sqlite"
    for options, wanted in (
            (["--nvtx-include", "Range A"], {2, 3, 9}),
            (["--nvtx-include", "Range A,Range B"], {3}),
            (["--nvtx-include", "Range A", "--nvtx-include", "Range B"], {2, 3, 4, 9}),
            (["--nvtx-exclude", "Range A"], ALL_PLACES - {2, 3, 9}),
            (["--nvtx-include", "Range B", "--nvtx-exclude", "Range A"], {4}),
            (["--nvtx-include", "Domain A@Range A"], {11}),
            (["--nvtx-include", "Domain A@Range A/"], {5, 10}),
            (["--nvtx-include", "regex:^Domain@regex:A$/"], {5, 10}),
            (["--nvtx-include", "other/"], {5}),
            (["--nvtx-include", "Range A/"], {6, 7, 8}),
            (["--nvtx-include", "Range A/Range B"], {6}),
            (["--nvtx-include", "Range A/*/Range B"], {6, 7}),
            (["--nvtx-include", "Range A/+/Range B"], {7}),
            (["--nvtx-include", "[Range A"], {6, 7}),
            (["--nvtx-include", "Range B]"], {6, 7}),
            (["--nvtx-include", "[Range B/Range A]"], {8}),
            (["--nvtx-include", "[Range A]"], set()),
            (["--nvtx-include", "Range A/", "--nvtx-exclude", "Range B]"], {8})):
        run = record(path, "--nvtx", "--metrics", METRICS[2], *options, program=("places",))
        found = {metrics[METRICS[2]] for _, _, metrics in profiles(path)}
        check(run.returncode == 0 and found == wanted, (options, found, run.stderr))


def listed(folder):
    """--kernels-from: kernels in places; numbers in the ranges' names do not count."""
    path, names = folder / "listed.sqlite", folder / "kernels.tsv"
    for lines, wanted in ((["# nothing", "vector_add\tstep 7\tmodel\tmodel.decoder"], [("vector_add", 5000)] * 2),
                          (["vector_add\tstep 99\tmodel\tmodel.decoder", "scale"],
                           [("scale", 10000), ("vector_add", 5000), ("scale", 20000)] * 2),
                          (["vector_add\t(outside)", "gemm\tmodel"], [])):
        names.write_text("\n".join(lines) + "\n")
        run = record(path, "--metrics", METRICS[2], "--kernels-from", names, program=("model", "2"))
        found = [(function, metrics[METRICS[2]]) for function, _, metrics in profiles(path)]
        check(run.returncode == 0 and found == wanted, (lines, found, run.stderr))
    check("no launch passed --kernels-from" in run.stderr, run.stderr)
    names.write_text("# only this\n")
    run = record(path, "--metrics", METRICS[2], "--kernels-from", names)
    check(run.returncode == 2 and "the file contains no kernel" in run.stderr, run.stderr)


def words(folder):
    """What --metrics takes beside metrics: the names that are asked for, as the injected library reads them."""
    def asked(*options):
        command = [SONDE, "record", "-f", "-o", folder / "words", "--self-test=false", *options, "--", "sh", "-c",
                   "cat $SONDE_RECORD_METRICS"]
        run = subprocess.run(list(map(str, command)), capture_output=True, text=True, check=True, env=environment())
        return [line.split(" ", 1)[1] for line in run.stdout.splitlines() if line.startswith("metric ")]

    check(asked("--metrics", "dram_read_bytes") == ["dram__bytes_read.sum", "dram__bytes_op_read.sum"], "of two generations")
    check(asked("--metrics", "gld_efficiency") == asked("--metrics", "global_load_efficiency") != [], "nvprof's name")
    ratio = asked("--metrics", "duration")
    check(ratio == ["gpu__time_duration.sum"], ratio)
    rates = asked("--metrics", "regex:^dram__bytes_(read|write)\\.sum$")
    check(sorted(rates) == ["dram__bytes_read.sum", "dram__bytes_write.sum"], rates)
    check(len(asked("--metrics", "group:memory__dram_table")) == 16, "a group, in the names of two generations")
    down = asked("--metrics", "breakdown:sm__throughput.avg.pct_of_peak_sustained_elapsed")
    check(len(down) > 20 and all(name.endswith(".avg.pct_of_peak_sustained_elapsed") for name in down), down)


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
    check(run.stderr.count("kernel measurement stopped") == 1 and functions(path) == [], run.stderr)


def not_waited_for(folder):
    """A launch that takes for ever to be measured holds up others for a second each, and eight of them in all."""
    path = folder / "waits.sqlite"
    run = record(path, "--metrics", METRICS[2], program=("threads", "10"), SONDE_FAKE_PROFILER="StopTakesMs=6000")
    (count,) = json.loads(run.stdout)["kernels"].values()
    check(count[0] == 40, run.stdout)
    waited = re.search(r"kernel measurement stopped: (\d+) launches waited too long", run.stderr)
    check(waited and 8 <= int(waited[1]) <= 11, run.stderr)
    check("another thread's launch was being measured for too long at that time" in run.stderr, run.stderr)
    check(functions(path) == [], "its values are also of the launches that did not wait any more")


def not_to_be_had(folder):
    path = folder / "refused.sqlite"
    for failure, said in (("RangeProfilerEnable=35", "NVreg_RestrictProfilingToAdminUsers=0"),
                          ("ProfilerGetCounterAvailability=35", "CAP_SYS_ADMIN"),
                          ("RangeProfilerStart=9", "another profiler"),
                          ("RangeProfilerEnable=43", "MIG"),
                          ("ProfilerHostInitialize=46", "too old for the GPU"),
                          ("RangeProfilerStop=999", "cuptiRangeProfilerStop returned 999"),
                          ("ProfilerHostEvaluateToGpuValues=1", "cuptiProfilerHostEvaluateToGpuValues returned 1")):
        run = record(path, "--metrics", METRICS[0], SONDE_FAKE_PROFILER=failure)
        account = json.loads(run.stdout)
        check(run.returncode == 0 and account["kernels"], (failure, run.stdout))
        check("warning: kernel measurement stopped" in run.stderr and said in run.stderr, (failure, run.stderr))
        check(functions(path) == [] and any(said in text for text in Recorded(path).remarks()), failure)
    run = record(path, "--metrics", METRICS[0], version="12.4", library="libcupti.so.12")
    check("needs CUDA 12.6 or later" in run.stderr and functions(path) == [], run.stderr)
    run = record(path, "--metrics", METRICS[0], SONDE_CUPTI="/nonexistent/libcupti.so")
    check("kernels were not measured" in run.stderr, run.stderr)
    for where in ("CUDA toolkit", "pip's nvidia-cuda-cupti", "set SONDE_CUPTI"):
        check(where in run.stderr, (where, run.stderr))
    run = record(path, "--metrics", METRICS[0], SONDE_FAKE_CUPTI="subscribe_fails=39")
    check("another profiler is attached" in run.stderr, run.stderr)


def metrics_that_the_chip_lacks(folder):
    path = folder / "lacks.sqlite"
    run = record(path, "--metrics", "sm__cycles_missing.avg,sm__cycles_active.avg,pcie__read_bytes.sum,dram__sectors")
    check("this GPU cannot count: sm__cycles_missing.avg (near it: sm__cycles_active)" in run.stderr, run.stderr)
    check("CUPTI cannot count together with the others: pcie__read_bytes.sum" in run.stderr, run.stderr)
    ((_, _, found), *_) = profiles(path)
    wanted = {"sm__cycles_active.avg"} | {f"dram__sectors.{rollup}" for rollup in ("avg", "max", "min", "sum")}
    check(wanted <= found.keys() and "pcie__read_bytes.sum" not in found, found.keys())
    run = record(path, "--metrics", "pcie__read_bytes.sum")
    check(profiles(path)[0][2]["pcie__read_bytes.sum"] == len("pcie__read_bytes.sum") * THREADS, run.stderr)
    run = record(path, "--metrics", "sm__cycles_missing.avg,foo__missing.sum", "--kernel-regex", "gemm")
    check("warning: no kernel was measured: this GPU has none of the metrics" in run.stderr, run.stderr)
    check("launched none" not in run.stderr and "no launch passed" not in run.stderr, run.stderr)


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
            check(math.isclose(value, value_of(metric, "vector_add")), (metric, value))


def memory_tables(folder):
    """--section MemoryWorkloadAnalysis_Tables fills the tables that name it as what they want."""
    path = folder / "memory.sqlite"
    run = record(path, "--section", "MemoryWorkloadAnalysis_Tables", "--kernel-regex", "gemm", "--launch-count", "1")
    check(run.returncode == 0 and functions(path) == ["gemm"], run.stderr)
    ((_, _, found),) = profiles(path)
    for metric in ("dram__bytes_read.sum", "dram__bytes_write.sum", "lts__t_sectors_srcunit_tex_op_read.sum",
                   "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum", "l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum"):
        check(found.get(metric) == len(metric) * THREADS, (metric, found.get(metric)))
    listed = subprocess.run([SONDE, "kernels", path], capture_output=True, text=True, check=True)
    check("MemoryWorkloadAnalysis_Tables" not in listed.stdout + listed.stderr, "asked for what was given")
    page = subprocess.run([SONDE, "kernel", path], capture_output=True, text=True, check=True).stdout
    check("MemoryWorkloadAnalysis_Tables" not in page, page)
    document = json.loads(subprocess.run([SONDE, "kernel", "-f", "json", path], capture_output=True, text=True, check=True).stdout)
    views = document["kernels"][0]["views"]
    for view, rows in (("memory_l1", 15), ("memory_l2", 14), ("memory_dram", 3), ("memory_shared", 6)):
        check(len(views[view]["rows"] or []) == rows, (view, views[view]))


def on_a_terminal(folder):
    """The table of `sonde kernels` is no wider than the terminal, and says what it left out."""
    path = folder / "narrow.sqlite"
    record(path, "--set", "detailed", "--launch-count", "2")
    for columns in (80, 120):
        ours, its = pty.openpty()
        fcntl.ioctl(its, termios.TIOCSWINSZ, struct.pack("HHHH", 40, columns, 0, 0))
        subprocess.run([SONDE, "kernels", "-q", path], stdout=its, check=True, timeout=PATIENCE_S,
                       env=os.environ | {"NO_COLOR": "1"})
        os.close(its)
        lines = os.read(ours, 65536).decode().replace("\r", "").splitlines()
        os.close(ours)
        left_out = [i for i, line in enumerate(lines) if line.startswith("Omitted at this width: ")]
        table = lines[:left_out[0]] if left_out else lines
        check(left_out and max(map(len, table)) <= columns, (columns, lines))
        check("gem" in "".join(table) and "Bound" in "".join(table), table)


def answered(folder):
    path = folder / "answered.sqlite"
    for options, said in ((["--section", "PmSampling"], "--gpu-metrics-devices"), (["--set", "basci"], "did you mean 'basic'"),
                          (["--section", "SpeedOfLigth"], "SpeedOfLight"), (["--metrics", "detaild"], "did you mean 'detailed'"),
                          (["--metrics", "sass__inst_executed_per_opcode"], "it is not measured; ncu"),
                          (["--kernel-regex", "(", "--metrics", "basic"], "--kernel-regex '(': '(' is not a valid extended regular expr"),
                          (["-k", "regex:(", "--metrics", "basic"], "-k,--kernel-name 'regex:(': '(' is not a valid extended regular"),
                          (["--kernel-regex", "x"], "--metrics basic"), (["--list-sections"], "sonde kernel --list-sections"),
                          (["-i", "file"], "sonde kernel -i"),
                          (["--nvtx-include", "a,b/", "--metrics", "basic"], "commas separate start/end ranges"),
                          (["--nvtx-exclude", "a@b@c", "--metrics", "basic"], "one domain"),
                          (["--nvtx-exclude", "a"], "--nvtx-exclude chooses kernels"),
                          (["--metrics", "dram_read_byte"], "did you mean 'dram_read_bytes'"),
                          (["--metrics", "regex:^nothing$"], "regex:^nothing$: no match among the"), (["--metrics", "regex:("], "regular expression"),
                          (["--metrics", "derived__pct_occupancy"], "no counter provides it"),
                          (["--metrics", "group:memory__dram_tabel"], "memory__dram_table"),
                          (["--nvtx-push-pop-scope", "process", "--metrics", "basic"], "only thread")):
        run = record(path, *options)
        check(run.returncode == 2 and said in run.stderr and run.stdout == "", (options, run.returncode, run.stderr))
    run = record(path, "--metrics", METRICS[0], "--replay-mode", "application", "--target-processes", "all", "--nvtx",
                 "--clock-control", "none", "--cache-control", "all", "--print-details", "all", "--page", "raw", "-p", "49152")
    check(run.returncode == 0 and "--replay-mode kernel does" in run.stderr and len(functions(path)) == 6, run.stderr)
    check("clocks" not in run.stderr and "--print-details: sonde kernel FILE --print-details all" in run.stderr, run.stderr)


def layouts(_):
    return same_layouts("profiler_layouts", "cupti_range_profiler.h")


def main():
    with tempfile.TemporaryDirectory() as name:
        for part in (values, chosen, reset_devices, places, listed, words, threads_processes_graphs, not_run_again, done,
                     not_waited_for, not_to_be_had, metrics_that_the_chip_lacks, sets, memory_tables, on_a_terminal, answered,
                     layouts):
            print(f"{part.__name__}: {part(Path(name)) or 'ok'}", flush=True)


if __name__ == "__main__":
    main()
