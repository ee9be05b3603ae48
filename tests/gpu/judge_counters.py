"""Compares counters and sampled source lines with those of Nsight Compute and with what the programs do, and samples of
counters over time with the kernels."""

import csv
import io
import re
from collections import Counter

from _evidence import HERE, Missing, check, close, may_read_counters

from _cuda import Cuda

METRICS = ("smsp__inst_executed.sum", "smsp__sass_thread_inst_executed_op_ffma_pred_on.sum",
           "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum")
CLOSE = 0.02
SOURCE = HERE / "programs/kernels.ptx"
HOT_LINE = next(number for number, line in enumerate(SOURCE.read_text().splitlines(), 1) if "// the hot line" in line)
LEAST_SAMPLES = 2000
LEAST_SHARE = 0.8
MOST_DISTANCE = 0.15  # of two distributions of some thousand samples over a few lines: half the sum of differences
SAMPLES = "smsp__pcsamp_sample_count"
WARPS = 1024 * 256 // 32  # of a launch of hot
GRAPHICS, CLOCK = "GR Active [Throughput %]", "GPC Clock Frequency [MHz]"


def values_of(profile):
    return dict(profile.rows("SELECT s.value, m.value FROM SONDE_KERNEL_METRIC m JOIN StringIds s ON s.id = m.nameId"))


def table_of_ncu(text):
    """{metric: value}"""
    lines = [line for line in text.splitlines() if line.startswith('"')]
    check(len(lines) >= 3, f"ncu printed no table: {text}")
    names, _, values = list(csv.reader(io.StringIO("\n".join(lines[:3]))))
    return {name: float(value.replace(",", "")) for name, value in zip(names, values) if name in METRICS}


def measured(part, name):
    may_read_counters(part.said(name))
    profile = part.profile(name)
    found = values_of(profile)
    check(found, f"{name}: nothing was measured: {part.said(name)}")
    return profile, found


def against_ncu(part):
    _, ours = measured(part, "ours")
    may_read_counters(part.text("theirs.out") + part.said("theirs"))
    theirs = table_of_ncu(part.out("theirs"))
    for name, value in theirs.items():
        check(name in ours, f"no {name}: {ours}")
        close(ours[name], value, CLOSE, name)
    return f"{len(theirs)} counters within {CLOSE:.0%}"


def same_output(part):
    measured(part, "replayed")
    alone, replayed = part.account("alone"), part.account("replayed")
    check(alone == replayed, f"the program printed {replayed} while its kernels were measured, alone {alone}")
    return f"checksum {alone['checksum']}"


def sets(part):
    return ", ".join(f"{name} {len(measured(part, name)[1])} metrics" for name in ("basic", "detailed", "full"))


def shares(profile, metric=SAMPLES):
    """{line, or None where none is known: share} of the first profile."""
    lines = profile.rows("SELECT l.offset, l.line FROM SONDE_DEVICE_LINE l JOIN SONDE_KERNEL_PROFILE p ON p.functionId = "
                         "l.functionId WHERE p.id = 0 ORDER BY l.offset")
    ((begin,),) = profile.rows("SELECT f.address FROM SONDE_DEVICE_FUNCTION f JOIN SONDE_KERNEL_PROFILE p ON "
                               "p.functionId = f.id WHERE p.id = 0") or [(0,)]
    samples = Counter()
    for address, count in profile.rows("SELECT i.instance, i.value FROM SONDE_KERNEL_METRIC_INSTANCE i JOIN "
                                       "SONDE_KERNEL_METRIC m ON m.id = i.metricId JOIN StringIds s ON s.id = m.nameId WHERE m.profileId = 0 AND "
                                       "s.value = ?", metric):
        before = [line for offset, line in lines if offset <= address - begin]
        samples[before[-1] if before else None] += count
    total = sum(samples.values())
    check(total >= LEAST_SAMPLES, f"{total} samples: too few to compare")
    return {line: count / total for line, count in samples.items()}


def hot_line(part):
    profile, _ = measured(part, "lines")
    found = shares(profile)
    check(found.get(HOT_LINE, 0) >= LEAST_SHARE, f"line {HOT_LINE} has {found}: {part.said('lines')}")
    check(f"kernels.ptx:{HOT_LINE}" in part.out("page"), part.out("page"))
    return f"line {HOT_LINE} has {found[HOT_LINE]:.1%} of the samples"


def beside_counters(part):
    profile, found = measured(part, "both")
    check(shares(profile).get(HOT_LINE, 0) >= LEAST_SHARE, part.said("both"))
    check("sm__throughput.avg.pct_of_peak_sustained_elapsed" in found, part.said("both"))
    return f"{len(found)} metrics"


def instructions(part):
    """Instructions by place: each warp begins once, and their sum is what the hardware counts."""
    profile, _ = measured(part, "counts")
    values = dict(profile.rows("SELECT s.value, m.value FROM SONDE_KERNEL_METRIC m JOIN StringIds s ON s.id = m.nameId WHERE "
                               "profileId = 0"))
    check("inst_executed" in values, part.said("counts"))
    counted, hardware = values["inst_executed"], values["smsp__inst_executed.sum"]
    close(counted, hardware, CLOSE, "counted instructions, by the hardware's counter")
    check(counted * 16 < values["thread_inst_executed"] <= counted * 32, values["thread_inst_executed"])
    ((first,),) = profile.rows("SELECT i.value FROM SONDE_KERNEL_METRIC_INSTANCE i JOIN SONDE_KERNEL_METRIC m ON "
                               "m.id = i.metricId JOIN StringIds s ON s.id = m.nameId WHERE m.profileId = 0 AND s.value = 'inst_executed' "
                               "ORDER BY i.instance LIMIT 1")
    check(first == WARPS, f"{first} warps began, of {WARPS}")
    found = shares(profile, "inst_executed")
    check(found.get(HOT_LINE, 0) >= LEAST_SHARE / 2, f"line {HOT_LINE} has {found}: {part.said('counts')}")
    return f"{counted} instructions, the hardware's counter has {hardware:.0f}"


def lines_against_ncu(part):
    profile, _ = measured(part, "ours")
    may_read_counters(part.text("theirs.out") + part.said("theirs"))
    part.done("theirs")
    part.done("converted")
    ours, theirs = shares(profile), shares(part.profile("converted"))
    distance = sum(abs(ours.get(line, 0) - theirs.get(line, 0)) for line in ours.keys() | theirs.keys()) / 2
    check(distance <= MOST_DISTANCE, f"{distance:.2f} apart: {ours}, ncu has {theirs}")
    return f"{distance:.3f} apart from ncu's"


def pip_cupti(part):
    return f"{len(measured(part, 'pip')[1])} metrics"


def sampled(part, name):
    """The profile, where the GPU's counters could be sampled."""
    said = part.said(name)
    may_read_counters(said)
    refused = re.search(r"GPU metrics.* were not sampled: .*", said)
    check(not refused, said)
    return part.profile(name)


def series(profile: Cuda, name):
    return profile.rows("SELECT timestamp, value FROM GPU_METRICS JOIN TARGET_INFO_GPU_METRICS USING (typeId, metricId) "
                        "WHERE metricName = ? ORDER BY timestamp", name)


def metrics_frequency(part):
    """As often as was asked for, without loss."""
    found = []
    for hertz in (1000, 10_000):
        name = f"at_{hertz}"
        rows = series(sampled(part, name), GRAPHICS)
        check(len(rows) > 1, f"{len(rows)} samples: {part.said(name)}")
        close((len(rows) - 1) / (rows[-1][0] - rows[0][0]) * 1e9, hertz, 0.02, "samples a second")
        check("missing between others" not in part.said(name) and "buffer was full" not in part.said(name), part.said(name))
        found.append(f"{len(rows)} at {hertz} Hz")
    return ", ".join(found)


def metrics_values(part):
    """Percentages are such, the clock is one of a GPU, and kernels make the GPU busy."""
    profile = sampled(part, "values")
    percent = profile.rows("SELECT metricName, min(value), max(value) FROM GPU_METRICS JOIN TARGET_INFO_GPU_METRICS USING "
                           "(typeId, metricId) WHERE metricName LIKE '%[Throughput \\%]' ESCAPE '\\' GROUP BY 1")
    check(len(percent) >= 8 and all(least >= 0 and most <= 101 for _, least, most in percent), (percent, part.said("values")))
    clocks = [value for _, value in series(profile, CLOCK) if value > 0]
    check(clocks and 200 < max(clocks) < 5000, clocks[:5])
    check(max(value for _, value in series(profile, GRAPHICS)) > 90, "no kernel of 2 ms fills a sample of 0.1 ms")
    return f"{len(percent)} percentages, GPC clock up to {max(clocks):.0f} MHz"


def metrics_clock(part):
    """The times of samples agree with those of kernels, as exactly as the recording says."""
    profile, said = sampled(part, "clock"), part.said("clock")
    kernels = profile.rows("SELECT start, end FROM CUPTI_ACTIVITY_KIND_KERNEL WHERE end - start > 1000000 ORDER BY start")
    if not kernels and "some versions of CUPTI deliver no kernels" in said:
        raise Missing("this CUPTI delivers no kernels while it samples, and the recording says so")
    check(len(kernels) == 100, f"{len(kernels)} kernels of 100: {said}")
    exact = re.search(r"aligned with other times to within ([\d.]+) ms", said)
    margin = (float(exact.group(1)) if exact else 0) * 1e6 + 200_000
    inside = [value for time, value in series(profile, GRAPHICS)
              if any(start + margin <= time <= end - margin for start, end in kernels)]
    check(inside, f"no sample lies well within a kernel: the clock is known to {margin / 1e6:.3f} ms only")
    close(sum(inside) / len(inside), 100, 0.05, f"percent active within kernels, of {len(inside)} samples")
    return f"{len(inside)} samples within kernels, the clock known to {margin / 1e6:.3f} ms"
