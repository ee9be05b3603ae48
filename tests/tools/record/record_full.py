#!/usr/bin/env python3
"""`sonde record --set full` and `--section SourceCounters` through the stand-in for CUPTI's PC sampling
(tests/fakes/cuda/pc_sampling.cc), whose samples are known by construction: where each kernel was, what it waited for, from
which source line that comes, and what is said where samples are lost or cannot be had."""

import collections
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "shared"))
from _layouts import same_layouts
from _recorded import PATIENCE_S, SONDE, TOOLS, Recorded, check

PROGRAM = TOOLS / "cuda_program"
FAKE = TOOLS.parent / "fake_cuda"
NS = {"vector_add": 20000, "gemm": 150000, "scale": 500}
MANGLED = {"vector_add": "_Z10vector_addPKfS0_Pfi", "gemm": "_ZN4blas4gemmIfLi128EEEvPKT_S3_PS1_i", "scale": "scale"}
REASONS = ["barrier", "branch_resolving", "dispatch_stall", "drain", "imc_miss", "lg_throttle", "long_scoreboard",
           "math_pipe_throttle", "membar", "mio_throttle", "misc", "no_instructions", "not_selected", "selected",
           "short_scoreboard", "sleeping", "tex_throttle", "wait"]
STALLED = "smsp__pcsamp_warps_issue_stalled_"
COUNT = "smsp__pcsamp_sample_count"
COUNTER = "sm__cycles_active.avg"
ONLY = ("--section", "SourceCounters")
BOTH = (*ONLY, "--metrics", COUNTER)


def environment(version="13.0", library="libcupti.so.13", **more):
    return os.environ | {"LD_LIBRARY_PATH": f"{FAKE / 'driver'}:{FAKE}", "SONDE_CUPTI": str(FAKE / version / library)} | more


def record(path, *options, program=("plain", "3"), **settings):
    command = [SONDE, "record", "-f", "-o", path, *options, "--", PROGRAM, *program]
    return subprocess.run(list(map(str, command)), capture_output=True, text=True, timeout=PATIENCE_S, check=False,
                          env=environment(**settings))


def kernel_page(path, *options):
    return subprocess.run([SONDE, "kernel", *options, str(path)], capture_output=True, text=True, check=True).stdout


def samples_of(function, period=10):
    """{metric: {offset: samples}} of a launch, by hand."""
    name = MANGLED[function]
    total = NS[function] >> (period - 3)
    count = 4 + len(name) % 5
    each = (total - total // 2) // (count - 1)
    by_offset = {16 * k: each for k in range(count)}
    by_offset[0] += total - total // 2 - each * (count - 1)
    by_offset[32] = total // 2
    found = collections.defaultdict(dict)
    for offset, samples in by_offset.items():
        if samples == 0:
            continue
        reason = REASONS[(offset // 16 + len(name)) % len(REASONS)]
        found[COUNT][offset] = samples
        found[STALLED + reason][offset] = samples
        if samples // 2 > 0:
            found[f"{STALLED}{reason}_not_issued"][offset] = samples // 2
    return dict(found)


def profiles(path):
    """[(function, {metric: value}, {metric: {offset: samples}})] in the order of the launches."""
    recorded = Recorded(path)
    found = []
    for row, function in recorded.rows("SELECT p.id, value FROM SONDE_KERNEL_PROFILE p JOIN StringIds s ON s.id = "
                                       "p.functionNameId ORDER BY launchId"):
        values = dict(recorded.rows("SELECT s.value, m.value FROM SONDE_KERNEL_METRIC m JOIN StringIds s ON s.id = "
                                    "m.nameId WHERE profileId = ?", row))
        parts = collections.defaultdict(dict)
        if recorded.rows("SELECT 1 FROM sqlite_master WHERE name = 'SONDE_KERNEL_METRIC_INSTANCE'"):
            for metric, offset, samples in recorded.rows(
                    "SELECT s.value, i.instance, i.value FROM SONDE_KERNEL_METRIC m JOIN StringIds s ON s.id = m.nameId JOIN "
                    "SONDE_KERNEL_METRIC_INSTANCE i ON i.metricId = m.id WHERE profileId = ?", row):
                parts[metric][offset] = samples
        found.append((function, values, dict(parts)))
    return found


def check_samples(profile, period=10):
    function, values, parts = profile
    wanted = samples_of(function, period)
    check(parts == wanted, (function, parts, wanted))
    for metric, by_offset in wanted.items():
        check(values[metric] == sum(by_offset.values()), (function, metric, values[metric]))


def without_times(text):
    return re.sub(r'"(last_end|pid|is_listened)": \d+', "", text)


def each_launch(folder):
    """Samples alone: each launch runs once, and the kernel before it on its stream is over."""
    path = folder / "alone.sqlite"
    alone = subprocess.run([PROGRAM, "plain", "3"], capture_output=True, text=True, env=environment(), check=True)
    run = record(path, *ONLY)
    check(run.returncode == 0 and "warning" not in run.stderr, run.stderr)
    check(without_times(run.stdout) == without_times(alone.stdout), (run.stdout, alone.stdout))
    found = profiles(path)
    check([function for function, _, _ in found] == ["vector_add", "gemm"] * 3, found)
    for profile in found:
        check_samples(profile)
        check(profile[1]["smsp__pcsamp_interval"] == 5 and profile[1]["smsp__pcsamp_interval_cycles"] == 1024, profile[1])
        check(not any(metric.startswith("sm__cycles") for metric in profile[1]), profile[1])
    check("sampled 6 kernel launches: 3981 samples at 36 instructions" in run.stderr, run.stderr)
    check(3 * sum(NS[f] >> 7 for f in ("vector_add", "gemm")) == 3981, "the number in this test")
    check("are in functions" not in run.stderr and "no source lines" in run.stderr, run.stderr)
    record(path, *ONLY, "--sampling-interval", "3")
    for profile in profiles(path):
        check_samples(profile, period=8)
        check(profile[1]["smsp__pcsamp_interval"] == 3, profile[1])


def reset_devices(folder):
    """A context where a destroyed one lay is another: its kernels are sampled, and counted, as those of the first."""
    path = folder / "resets.sqlite"
    for options, wanted in ((ONLY, ["vector_add", "gemm"] * 3), ((*BOTH, "--launches-each", "1"), ["vector_add", "gemm"])):
        run = record(path, *options, program=("resets", "3"))
        found = profiles(path)
        check("warning" not in run.stderr and [function for function, _, _ in found] == wanted, (run.stderr, found))
        for profile in found:
            check_samples(profile)


def behind_others(folder):
    """Kernels that were launched before, and are not asked for, have ended when samples begin."""
    path = folder / "behind.sqlite"
    run = record(path, *ONLY, "--kernel-regex", "vector_add", program=("behind", "3"))
    found = profiles(path)
    check(len(found) == 3 and "are in functions" not in run.stderr, run.stderr)
    for profile in found:
        check_samples(profile)


def in_place_of_counters(folder):
    path = folder / "both.sqlite"
    run = record(path, *BOTH, program=("plain", "4"))
    found = profiles(path)
    check(run.returncode == 0 and "warning" not in run.stderr, run.stderr)
    check([function for function, _, _ in found] == ["vector_add", "gemm"] * 2, found)
    for profile in found:
        check_samples(profile)
        check(profile[1][COUNTER] == len(COUNTER) * 120 * 2 * 3 * 128 * 4, profile[1])
    check("sampled 4 kernel launches, each the next launch of the same kind as a counted one" in run.stderr, run.stderr)
    run = record(path, *BOTH)
    found = profiles(path)
    check([bool(parts) for _, _, parts in found] == [True, True, False, False], found)
    check("2 counted launches have no samples" in run.stderr, run.stderr)
    for options, launches, watched in ((["--launches-each", "1"], 2, 8), (["--launch-count", "1"], 1, 0)):
        run = record(path, *BOTH, *options, program=("watched", "5"))
        found = profiles(path)
        check(len(found) == launches and f"watched: {watched}" in run.stderr, (options, found, run.stderr))
        for profile in found:
            check_samples(profile)
    run = record(path, *BOTH, "--launch-skip", "1", "--launch-count", "2", program=("plain", "5"))
    check([profile[0] for profile in profiles(path)] == ["gemm", "vector_add"], run.stderr)


def full_set(folder):
    path = folder / "full.sqlite"
    for options in (["--set", "full"], ["--metrics", "full"]):
        run = record(path, *options, "--launches-each", "1")
        check(run.returncode == 0 and "this GPU cannot count" not in run.stderr, run.stderr)
        sections = {s for (s,) in Recorded(path).rows("SELECT value FROM SONDE_KERNEL_SECTION k JOIN StringIds s ON s.id = "
                                                      "identifierId")}
        check(sections >= {"SpeedOfLight", "WarpStateStats", "SchedulerStats", "SourceCounters"}, sections)
        for profile in profiles(path):
            check_samples(profile)
    detailed = set(profiles(path)[0][1])
    record(path, "--set", "detailed", "--launches-each", "1")
    check(set(profiles(path)[0][1]) < detailed, "set full has what set detailed has")


def pages(folder):
    """`sonde kernel` prints offsets where there are no lines, by their samples."""
    path = folder / "pages.sqlite"
    record(path, *ONLY, "--kernel-regex", "gemm", "--launch-count", "1")
    page = kernel_page(path)
    by_offset = samples_of("gemm")[COUNT]
    total = sum(by_offset.values())
    hottest = next(line for line in page.splitlines() if re.search(r"\+0x20\b", line))
    check(str(by_offset[32]) in hottest and f"{100 * by_offset[32] / total:.1f}" in hottest, page)
    reason = REASONS[(2 + len(MANGLED["gemm"])) % len(REASONS)]
    check(reason in hottest and "+0x0" in page and "Warp Stall Reasons" in page, page)
    check(re.search(rf"{reason}\s+.*{by_offset[32]}", page), page)
    copy = folder / "copy.sqlite"
    subprocess.run([SONDE, "convert", str(path), str(copy)], check=True, capture_output=True)
    check(profiles(copy) == profiles(path), "a copy has the same samples")


SOURCE = """
extern "C" void scale(float* x) { x[0] *= 2; }
void vector_add(const float* a, const float* b, float* c, int n) {
  for (int i = 0; i < n; ++i) {
    float sum = a[i];
    sum += b[i];
    if (sum > 3.0f)
      sum *= 0.5f;
    c[i] = sum;
    c[i] += a[i] * b[i];
    c[i] -= b[i] / (a[i] + 7.0f);
  }
}
"""


def lines_of_objdump(path, function):
    """[(offset of an instruction, line)]"""
    text = subprocess.run(["objdump", "-d", "-l", "--no-show-raw-insn", path], capture_output=True, text=True,
                          check=True).stdout
    found, inside, line = [], False, None
    for row in text.splitlines():
        if begin := re.match(r"^[0-9a-f]+ <(\w+)>:", row):
            inside = begin.group(1) == function
        elif place := re.match(r"^\S*hot\.cu:(\d+)", row):
            line = int(place.group(1))
        elif (instruction := re.match(r"^ +([0-9a-f]+):\t", row)) and inside:
            found.append((int(instruction.group(1), 16), line))
    return found


def source_lines(folder):
    """The host's compiler makes code of the same shape as nvcc -lineinfo; objdump says which line is where."""
    if shutil.which("g++") is None or shutil.which("objdump") is None:
        return "skipped: g++ and objdump make code whose lines are known"
    code, path = folder / "hot.o", folder / "lines.sqlite"
    (folder / "hot.cu").write_text(SOURCE)
    subprocess.run(["g++", "-x", "c++", "-c", "-O0", "-gdwarf-4", "-ffunction-sections", "hot.cu", "-o", code], cwd=folder,
                   check=True)
    lines = lines_of_objdump(code, MANGLED["vector_add"])
    line_at = {offset: [line for at, line in lines if at <= offset][-1] for offset in samples_of("vector_add")[COUNT]}
    check(len(set(line_at.values())) > 2, line_at)
    run = record(path, *ONLY, "--kernel-regex", "vector_add", "--launch-count", "1", SONDE_FAKE_CUBIN=str(code))
    check("no source lines" not in run.stderr and "warning" not in run.stderr, run.stderr)
    check_samples(profiles(path)[0])
    recorded = Recorded(path)
    ((name, size),) = recorded.rows("SELECT value, codeBytes FROM SONDE_DEVICE_FUNCTION f JOIN StringIds s ON s.id = "
                                    "mangledNameId")
    check(name == MANGLED["vector_add"] and size >= lines[-1][0], (name, size))
    for offset, line in line_at.items():
        ((found, file),) = recorded.rows("SELECT line, value FROM SONDE_DEVICE_LINE l JOIN StringIds s ON s.id = fileId WHERE "
                                         "offset <= ? ORDER BY offset DESC, l.rowid DESC LIMIT 1", offset)
        check(found == line and file.endswith("hot.cu"), (offset, found, file, line))
    by_line = collections.Counter()
    for offset, samples in samples_of("vector_add")[COUNT].items():
        by_line[line_at[offset]] += samples
    (line, samples), *_ = by_line.most_common()
    row = next(row for row in kernel_page(path).splitlines() if f"hot.cu:{line} " in row)
    check(str(samples) in row and f"{100 * samples / sum(by_line.values()):.1f}" in row, (row, by_line))
    run = record(path, *BOTH, "--launches-each", "1", SONDE_FAKE_CUBIN=str(code))
    check("1 of the measured functions have no source lines" in run.stderr, run.stderr)  # gemm is not in that code
    whole = code.read_bytes()
    for damage in (whole[:100], whole[:len(whole) // 2], b"\x7fELF" + bytes(60), b"no code", whole.replace(b"debug_line", b"debug_none")):
        code.write_bytes(damage)
        run = record(path, *ONLY, "--kernel-regex", "vector_add", "--launch-count", "1", SONDE_FAKE_CUBIN=str(code))
        check(run.returncode == 0, run.stderr)
        check_samples(profiles(path)[0])
    return "ok"


def arrives_otherwise(folder):
    """In pieces, and when sampling is switched off: the same samples."""
    path = folder / "pieces.sqlite"
    for fault in ("pc_piece=2", "pc_late", "pc_piece=1"):
        run = record(path, *ONLY, program=("plain", "2"), SONDE_FAKE_CUPTI=fault)
        found = profiles(path)
        check(len(found) == 4 and "warning" not in run.stderr, (fault, run.stderr))
        for profile in found:
            check_samples(profile)


def threads_and_rounds(folder):
    path = folder / "threads.sqlite"
    run = record(path, *ONLY, program=("threads", "5"))
    found = profiles(path)
    check(len(found) == 20 and "warning" not in run.stderr, (len(found), run.stderr))
    for profile in found:
        check_samples(profile)
    run = record(path, *ONLY, program=("graph", "2"))
    check(profiles(path) == [] and "kernels in CUDA graphs were not measured" in run.stderr, run.stderr)
    run = record(path, *ONLY, program=("collective", "2"))
    check([f for f, _, _ in profiles(path)] == ["vector_add"] * 2, run.stderr)
    run = record(folder / "round.sqlite", *ONLY, "--capture-range", "nvtx", "--nvtx-capture", "step 1",
                 "--capture-range-end", "repeat:3", program=("plain", "6"))
    made = sorted(folder.glob("round*.sqlite"))
    check(len(made) == 3, (made, run.stderr))
    for one in made:
        found = profiles(one)
        check([f for f, _, _ in found] == ["vector_add", "gemm"], (one, found))
        for profile in found:
            check_samples(profile)  # the names of stall reasons were told in the first round only


def losses(folder):
    path = folder / "losses.sqlite"
    run = record(path, *ONLY, program=("plain", "1"), SONDE_FAKE_CUPTI="pc_dropped=7")
    check("the hardware dropped 14 of 1341 samples" in run.stderr, run.stderr)
    check(any("dropped 14 of" in text for text in Recorded(path).remarks()), Recorded(path).remarks())
    check_samples(profiles(path)[0])
    run = record(path, *ONLY, program=("plain", "1"), SONDE_FAKE_CUPTI="pc_full")
    check("buffer was full in 2 sampled launches" in run.stderr and len(profiles(path)) == 2, run.stderr)
    run = record(path, *ONLY, program=("plain", "1"), SONDE_FAKE_CUPTI="pc_elsewhere=9")
    check("18 samples are in functions that kernels call" in run.stderr, run.stderr)
    for function, values, parts in profiles(path):
        check(parts[COUNT] == samples_of(function)[COUNT], parts)
        check(values[COUNT] == sum(parts[COUNT].values()) + 9, values)
    run = record(path, *ONLY, program=("plain", "1"), SONDE_FAKE_CUPTI="pc_unnamed")
    unnamed = sum(samples_of(function)[COUNT][0] for function in ("vector_add", "gemm"))
    check(f"{unnamed} samples have a stall reason that CUPTI does not name" in run.stderr, run.stderr)
    for function, values, parts in profiles(path):
        check(parts[COUNT] == samples_of(function)[COUNT], parts)
    run = record(path, *ONLY, "--kernel-regex", "scale", "--launch-count", "2", "--sampling-interval", "26",
                 program=("many", "2"))
    check("2 sampled launches have no samples because they are too short for the sampling interval" in run.stderr and len(profiles(path)) == 2, run.stderr)


def not_to_be_had(folder):
    path = folder / "refused.sqlite"
    for fault, said in (("pc_fails=35", "NVreg_RestrictProfilingToAdminUsers=0"), ("pc_fails=9", "another profiler"),
                        ("pc_fails=27", "does not support this operation"), ("pc_data_fails=999", "cuptiPCSamplingGetData returned 999")):
        run = record(path, *ONLY, SONDE_FAKE_CUPTI=fault)
        check(run.returncode == 0 and '"gemm' not in run.stderr, run.stderr)
        check(run.stderr.count("warning: kernel sampling stopped") == 1 and said in run.stderr, (fault, run.stderr))
        check("launched none" not in run.stderr and profiles(path) == [], run.stderr)
        check(any(said in text for text in Recorded(path).remarks()), fault)
        run = record(path, *BOTH, SONDE_FAKE_CUPTI=fault)
        found = profiles(path)
        check(len(found) >= 3 and all(COUNTER in values and not parts for _, values, parts in found), (fault, found))
        check(said in run.stderr, run.stderr)
    run = record(path, *BOTH, version="without_pc")
    check("has no cuptiPCSamplingEnable" in run.stderr and len(profiles(path)) == 6, run.stderr)
    run = record(path, *ONLY, version="without_pc")
    check("has no cuptiPCSamplingEnable" in run.stderr and profiles(path) == [], run.stderr)
    run = record(path, *ONLY, version="12.4", library="libcupti.so.12")
    check("needs CUDA 12.6 or later" in run.stderr and profiles(path) == [], run.stderr)


def answered(folder):
    path = folder / "answered.sqlite"
    for options, said in ((["--section", "SourceCounters", "--sampling-interval", "27"], "0 to 26"),
                          (["--metrics", "basic", "--sampling-interval", "3"], "--section SourceCounters"),
                          (["--section", "PmSampling"], "--gpu-metrics-devices")):
        run = record(path, *options)
        check(run.returncode == 2 and said in run.stderr and run.stdout == "", (options, run.returncode, run.stderr))
    run = record(path, *ONLY, "--launch-count", "1", "--sampling-buffer-size", "1", "--warp-sampling-max-passes", "3")
    check(run.stderr.count("--sampling-interval sets the number") == 2, run.stderr)
    check_samples(profiles(path)[0])
    for words in ("group:smsp__pcsamp_warp_stall_reasons", COUNT, STALLED + "barrier"):
        record(path, "--metrics", words, "--launch-count", "1")
        check_samples(profiles(path)[0])


def layouts(_):
    return same_layouts("cupti_pc_layouts", "cupti_pcsampling.h")


def main():
    with tempfile.TemporaryDirectory() as name:
        for part in (each_launch, reset_devices, behind_others, in_place_of_counters, full_set, pages, source_lines,
                     arrives_otherwise, threads_and_rounds, losses, not_to_be_had, answered, layouts):
            print(f"{part.__name__}: {part(Path(name)) or 'ok'}", flush=True)


if __name__ == "__main__":
    main()
