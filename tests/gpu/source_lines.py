"""Checks sampled source lines: of a kernel whose hot line is known, and of the same kernel under Nsight Compute."""

from collections import Counter
from pathlib import Path

from _host import NVCC_PLACES, SONDE, Failed, Missing, check, gpus, run, sonde_has, tool

from _cuda import Cuda

SOURCE = Path(__file__).parent / "hot_line.cu"
HOT_LINE = next(number for number, line in enumerate(SOURCE.read_text().splitlines(), 1) if "the hot line" in line)
LEAST_SAMPLES = 2000
LEAST_SHARE = 0.8
MOST_DISTANCE = 0.15  # of two distributions of some thousand samples over a few lines: half the sum of differences
COUNT = "smsp__pcsamp_sample_count"
WARPS = 1024 * 256 // 32  # of a launch of hot_line.cu
MOST_DIFFERENCE = 0.02


def program(host):
    gpus()
    path = host.file("hot_line")
    if not path.exists():
        run([tool("nvcc", *NVCC_PLACES), "-std=c++17", "-O2", "-lineinfo", "-arch=native", "-o", path, SOURCE])
    return path


def shares(path, metric=COUNT):
    """{line, or None where none is known: share} of the first profile."""
    tables = Cuda(path)
    lines = tables.rows("SELECT l.offset, l.line FROM SONDE_DEVICE_LINE l JOIN SONDE_KERNEL_PROFILE p ON p.functionId = "
                        "l.functionId WHERE p.id = 0 ORDER BY l.offset")
    ((begin,),) = tables.rows("SELECT f.address FROM SONDE_DEVICE_FUNCTION f JOIN SONDE_KERNEL_PROFILE p ON p.functionId = f.id "
                              "WHERE p.id = 0") or [(0,)]
    samples = Counter()
    for address, count in tables.rows("SELECT i.instance, i.value FROM SONDE_KERNEL_METRIC_INSTANCE i JOIN SONDE_KERNEL_METRIC m "
                                      "ON m.id = i.metricId JOIN StringIds s ON s.id = m.nameId WHERE m.profileId = 0 AND "
                                      "s.value = ?", metric):
        before = [line for offset, line in lines if offset <= address - begin]
        samples[before[-1] if before else None] += count
    total = sum(samples.values())
    check(total >= LEAST_SAMPLES, f"{total} samples in {path}: too few to compare")
    return {line: count / total for line, count in samples.items()}


def of_sonde(host, *options):
    path = host.file("hot_line.sqlite")
    done = run([SONDE, "record", "-f", *options, "-o", path, "--", program(host), 2])
    if "is not permitted to read the GPU's counters" in done.stderr:
        raise Missing("this user may not read counters")
    return path, done.stderr


def hot_line(host):
    sonde_has("record", "--sampling-interval")
    path, said = of_sonde(host, "--section", "SourceCounters", "--launch-count", 1)
    found = shares(path)
    check(found.get(HOT_LINE, 0) >= LEAST_SHARE, f"line {HOT_LINE} has {found}: {said}")
    page = run([SONDE, "kernel", path]).stdout
    check(f"hot_line.cu:{HOT_LINE}" in page, page)
    return f"line {HOT_LINE} has {found[HOT_LINE]:.1%} of the samples"


def beside_counters(host):
    """Set full: the second launch is sampled in place of the first, whose counters were taken."""
    path, said = of_sonde(host, "--set", "full", "--launches-each", 1)
    check(shares(path).get(HOT_LINE, 0) >= LEAST_SHARE, said)
    metrics = {name for (name,) in Cuda(path).rows("SELECT s.value FROM SONDE_KERNEL_METRIC m JOIN StringIds s ON s.id = m.nameId")}
    check("sm__throughput.avg.pct_of_peak_sustained_elapsed" in metrics, said)
    return f"{len(metrics)} metrics"


def counts(host):
    """Instructions by place: each warp begins once, and their sum is what the hardware counts."""
    sonde_has("record", "--instruction-counts")
    path, said = of_sonde(host, "--metrics", "smsp__inst_executed.sum", "--instruction-counts", "--launches-each", 1)
    tables = Cuda(path)
    values = dict(tables.rows("SELECT s.value, m.value FROM SONDE_KERNEL_METRIC m JOIN StringIds s ON s.id = m.nameId WHERE "
                              "profileId = 0"))
    check("inst_executed" in values, said)
    counted, measured = values["inst_executed"], values["smsp__inst_executed.sum"]
    check(abs(counted - measured) <= MOST_DIFFERENCE * measured, f"{counted} counted, the hardware's counter has {measured}")
    check(counted * 16 < values["thread_inst_executed"] <= counted * 32, values["thread_inst_executed"])
    ((first,),) = tables.rows("SELECT i.value FROM SONDE_KERNEL_METRIC_INSTANCE i JOIN SONDE_KERNEL_METRIC m ON m.id = i.metricId "
                              "JOIN StringIds s ON s.id = m.nameId WHERE m.profileId = 0 AND s.value = 'inst_executed' "
                              "ORDER BY i.instance LIMIT 1")
    check(first == WARPS, f"{first} warps began, of {WARPS}")
    found = shares(path, "inst_executed")
    check(found.get(HOT_LINE, 0) >= LEAST_SHARE / 2, f"line {HOT_LINE} has {found}: {said}")
    return f"{counted} instructions, the hardware's counter has {measured:.0f}"


def against_ncu(host):
    path, _ = of_sonde(host, "--section", "SourceCounters", "--launch-count", 1)
    report, theirs = host.file("hot_line.ncu-rep"), host.file("hot_line_ncu.sqlite")
    done = run([tool("ncu", "/usr/local/cuda/bin/ncu"), "-f", "--section", "SourceCounters", "-c", 1, "-o", report,
                program(host), 2], must_succeed=False)
    if "ERR_NVGPUCTRPERM" in done.stdout + done.stderr:
        raise Missing("this user may not read counters (ERR_NVGPUCTRPERM)")
    if not report.exists():
        raise Failed(f"ncu made no report: {done.stdout[-400:]} {done.stderr[-400:]}")
    run([SONDE, "convert", report, theirs])
    ours, wanted = shares(path), shares(theirs)
    distance = sum(abs(ours.get(line, 0) - wanted.get(line, 0)) for line in ours.keys() | wanted.keys()) / 2
    check(distance <= MOST_DISTANCE, f"{distance:.2f} apart: {ours}, ncu has {wanted}")
    return f"{distance:.3f} apart from ncu's"


PARTS = (hot_line, beside_counters, counts, against_ncu)
