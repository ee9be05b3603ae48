#!/usr/bin/env python3
"""`sonde record --instruction-counts` through the stand-in for CUPTI's SASS metrics (tests/fakes/cuda/sass_metrics.cc), whose
counts are known by construction: how often each instruction ran, alone and behind counters and samples, and what is said
where CUPTI refuses."""

import subprocess
import tempfile
from pathlib import Path

import record_full
import sys
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "shared"))
from _layouts import same_layouts
from _recorded import Recorded, check
from record_full import COUNT, COUNTER, MANGLED, NS, kernel_page, profiles, record, samples_of

ALONE = ("--instruction-counts",)
METRICS = {"inst_executed": 1, "thread_inst_executed": 31, "thread_inst_executed_true": 30}


def counts_of(function):
    """{metric: {offset: count}} of a launch, by hand."""
    instructions = 4 + len(MANGLED[function]) % 5
    return {metric: {16 * k: NS[function] * k * threads for k in range(instructions)} for metric, threads in METRICS.items()}


def check_counts(profile):
    function, values, parts = profile
    for metric, by_offset in counts_of(function).items():
        check(parts.get(metric) == by_offset, (function, metric, parts.get(metric), by_offset))
        check(values[metric] == sum(by_offset.values()), (function, metric, values[metric]))


def alone(folder):
    """Each launch is counted and runs once; the program does what it does alone."""
    path = folder / "alone.sqlite"
    without = subprocess.run([record_full.PROGRAM, "plain", "3"], capture_output=True, text=True, check=True,
                             env=record_full.environment())
    for options, fault in ((ALONE, ""), (("--metrics", "inst_executed"), ""), (ALONE, "sass_split")):
        run = record(path, *options, SONDE_FAKE_CUPTI=fault)
        check(run.returncode == 0 and "warning" not in run.stderr, run.stderr)
        check(record_full.without_times(run.stdout) == record_full.without_times(without.stdout), run.stdout)
        found = profiles(path)
        check([function for function, _, _ in found] == ["vector_add", "gemm"] * 3, found)
        for profile in found:
            check_counts(profile)
            check(COUNT not in profile[1], profile[1])
        total = 3 * sum(sum(counts_of(f)["inst_executed"].values()) for f in ("vector_add", "gemm"))
        check(f"counted the instructions of 6 kernel launches: {total} executed by warps, at 36 instructions" in run.stderr, run.stderr)
    hottest = next(line for line in kernel_page(path).splitlines() if "+0x60" in line)
    check(f"{counts_of('vector_add')['inst_executed'][96]:,}" in hottest, hottest)


def behind_the_others(folder):
    """Counters, samples and counts of instructions are of three launches, and lie at the first one's kernel."""
    path = folder / "full.sqlite"
    run = record(path, "--set", "full", *ALONE, program=("plain", "7"))
    found = profiles(path)
    check(run.returncode == 0 and "warning" not in run.stderr, run.stderr)
    check([function for function, _, _ in found] == ["vector_add", "gemm"] * 3, run.stderr)  # of the last there are counters alone
    for profile in found[:4]:
        check_counts(profile)
        check(profile[2][COUNT] == samples_of(profile[0])[COUNT] and COUNTER in profile[1], profile)
    check(all("inst_executed" not in parts and COUNT not in parts for _, _, parts in found[4:]), found[4:])
    check("counted the instructions of 4 kernel launches, each a later launch of the same kind as a measured one" in run.stderr, run.stderr)
    check("2 measured launches have no instruction counts" in run.stderr, run.stderr)
    run = record(path, "--section", "SourceCounters", *ALONE, "--launches-each", "1", program=("watched", "5"))
    found = profiles(path)
    check(len(found) == 2 and "watched: 8" in run.stderr, (found, run.stderr))
    run = record(path, "--section", "SourceCounters", *ALONE, "--launch-count", "1", program=("watched", "5"))
    check(len(profiles(path)) == 1 and "watched: 0" in run.stderr, run.stderr)
    for profile in found:
        check_counts(profile)
        check(profile[2][COUNT] == samples_of(profile[0])[COUNT], profile)


def reset_devices(folder):
    """A context where a destroyed one lay is another, whose kernels are counted as those of the first."""
    path = folder / "resets.sqlite"
    run = record(path, *ALONE, program=("resets", "3"))
    found = profiles(path)
    check("warning" not in run.stderr and [function for function, _, _ in found] == ["vector_add", "gemm"] * 3, run.stderr)
    for profile in found:
        check_counts(profile)


def rounds_of_all(folder):
    """What is left to be done of a kernel ends with its round: the next one measures kernels of its own."""
    run = record(folder / "steps.sqlite", *record_full.BOTH, *ALONE, "--capture-range", "nvtx", "--nvtx-capture", "step 1",
                 "--capture-range-end", "repeat:3", program=("plain", "9"))
    made = sorted(folder.glob("steps*.sqlite"))
    check(len(made) == 3, (made, run.stderr))
    for one in made:
        found = profiles(one)
        check([function for function, _, _ in found] == ["vector_add", "gemm"], (one, found))
        check(all(COUNTER in values and not parts for _, values, parts in found), (one, found))


def none_again(folder):
    """Kernels whose like does not come again are told."""
    path = folder / "again.sqlite"
    for launches in ("1", "2"):
        run = record(path, *record_full.BOTH, *ALONE, program=("plain", launches))
        check("2 measured launches have no instruction counts" in run.stderr, run.stderr)


def one_fails(folder):
    """What samples can't be taken of is counted all the same, and the other way round."""
    path = folder / "fails.sqlite"
    run = record(path, "--set", "full", *ALONE, program=("plain", "4"), SONDE_FAKE_CUPTI="pc_fails=35")
    found = profiles(path)
    check("kernel sampling stopped" in run.stderr and len(found) >= 4, run.stderr)
    for profile in found[:2]:
        check_counts(profile)
        check(COUNT not in profile[1], profile)
    run = record(path, "--section", "SourceCounters", *ALONE, "--launches-each", "1", program=("plain", "5"),
                 SONDE_FAKE_CUPTI="pc_fails=35")
    found = profiles(path)
    check([function for function, _, _ in found] == ["gemm", "vector_add"], found)  # the first launch was lost to sampling
    check("each a later launch" not in run.stderr, run.stderr)
    for profile in found:
        check_counts(profile)
    run = record(path, "--set", "full", *ALONE, program=("plain", "4"), SONDE_FAKE_CUPTI="sass_fails=8")
    found = profiles(path)
    check(run.stderr.count("instruction counting stopped: CUPTI ran out of memory") == 1, run.stderr)
    check(all("inst_executed" not in values for _, values, _ in found), found)
    check(found[0][2][COUNT] == samples_of(found[0][0])[COUNT], found[0])


def refused(folder):
    path = folder / "refused.sqlite"
    stopped, never = "instruction counting stopped", "instructions were not counted"
    for fault, outcome, said in (("sass_fails=35", stopped, "NVreg_RestrictProfilingToAdminUsers=0"),
                        ("sass_unknown", never, "CUPTI has no smsp__sass_thread_inst_executed_pred_on for this GPU"),
                        ("sass_data_fails=999", stopped, "cuptiSassMetricsFlushData returned 999")):
        run = record(path, *ALONE, SONDE_FAKE_CUPTI=fault)
        check(run.returncode == 0, run.stderr)
        check(run.stderr.count(f"warning: {outcome}") == 1 and said in run.stderr, run.stderr)
        check("launched none" not in run.stderr and "ended while" not in run.stderr and profiles(path) == [], run.stderr)
        check(any(said in text for text in Recorded(path).remarks()), fault)
    run = record(path, *ALONE, version="without_pc")
    check("has no cuptiSassMetricsGetProperties" in run.stderr and profiles(path) == [], run.stderr)
    run = record(path, *ALONE, SONDE_FAKE_CUPTI="sass_elsewhere=9")
    check("54 instructions ran in functions that kernels call" in run.stderr, run.stderr)
    for profile in profiles(path):
        check_counts(profile)
    run = record(path, "--metrics", "sass__inst_executed_per_opcode")
    check(run.returncode == 2 and "--instruction-counts" in run.stderr, run.stderr)


def killed(folder):
    """A program that hangs in CUPTI is killed by its user: then it is said where."""
    path = folder / "killed.sqlite"
    run = record(path, *ALONE, SONDE_FAKE_CUPTI="sass_kills")
    check(run.returncode == 137, run.returncode)
    check(f"was counting the instructions of {MANGLED['vector_add']}" in run.stderr, run.stderr)
    check("no kernel was measured" not in run.stderr, run.stderr)


def threads_and_rounds(folder):
    path = folder / "threads.sqlite"
    run = record(path, *ALONE, program=("threads", "5"))
    found = profiles(path)
    check(len(found) == 20 and "warning" not in run.stderr, (len(found), run.stderr))
    for profile in found:
        check_counts(profile)
    run = record(folder / "round.sqlite", *ALONE, "--capture-range", "nvtx", "--nvtx-capture", "step 1",
                 "--capture-range-end", "repeat:3", program=("plain", "6"))
    made = sorted(folder.glob("round*.sqlite"))
    check(len(made) == 3, (made, run.stderr))
    for one in made:
        found = profiles(one)
        check([function for function, _, _ in found] == ["vector_add", "gemm"], (one, found))
        for profile in found:
            check_counts(profile)


def source_lines(folder):
    """The code's checksum is told in half only: its lines are found all the same."""
    code, path = folder / "hot.o", folder / "lines.sqlite"
    (folder / "hot.cu").write_text(record_full.SOURCE)
    compiled = subprocess.run(["g++", "-x", "c++", "-c", "-O0", "-gdwarf-4", "-ffunction-sections", "hot.cu", "-o", code],
                              cwd=folder, check=False, capture_output=True)
    if compiled.returncode != 0:
        return "skipped: g++ makes code whose lines are known"
    run = record(path, *ALONE, "--kernel-regex", "vector_add", "--launch-count", "1", SONDE_FAKE_CUBIN=str(code))
    check("no source lines" not in run.stderr and "warning" not in run.stderr, run.stderr)
    check("hot.cu:" in kernel_page(path), kernel_page(path))
    return "ok"


def layouts(_):
    return same_layouts("cupti_sass_layouts", "cupti_sass_metrics.h")


def main():
    with tempfile.TemporaryDirectory() as name:
        for part in (alone, reset_devices, behind_the_others, rounds_of_all, none_again, one_fails, refused, killed, threads_and_rounds, source_lines, layouts):
            print(f"{part.__name__}: {part(Path(name)) or 'ok'}", flush=True)


if __name__ == "__main__":
    main()
