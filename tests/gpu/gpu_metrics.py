"""GPU metrics over time, sampled by the hardware: how often, of what, and whether they agree with the kernels."""

import json
import re

from _host import SONDE, Missing, check, close, run

from _cuda import Cuda

GRAPHICS, CLOCK = "GR Active [Throughput %]", "GPC Clock Frequency [MHz]"


def sampled(host, name, *words, traces="cuda", options=()):
    """(the profile, the program's account, what the recorder said)."""
    path = host.file(f"{name}.sqlite")
    done = run([SONDE, "record", "-f", "-t", traces, "--gpu-metrics-devices=0", *options, "-o", path, "--", host.program(),
                *words])
    refused = re.search(r"GPU metrics.* were not sampled: .*", done.stderr)
    if refused and not re.search("cupti[A-Za-z]*: CUPTI_ERROR_(UNKNOWN|INVALID)", refused.group()):
        raise Missing(refused.group())
    check(not refused, done.stderr)
    return Cuda(path), json.loads(done.stdout), done.stderr


def series(profile, name):
    return profile.rows("SELECT timestamp, value FROM GPU_METRICS JOIN TARGET_INFO_GPU_METRICS USING (typeId, metricId) "
                        "WHERE metricName = ? ORDER BY timestamp", name)


def frequency(host):
    """As often as was asked for, without loss, within the recording."""
    told = []
    for hertz in (1000, 10_000):
        profile, _, said = sampled(host, f"at{hertz}", "timed", 500, traces="none",
                                   options=[f"--gpu-metrics-frequency={hertz}"])
        found = series(profile, GRAPHICS)
        close((len(found) - 1) / (found[-1][0] - found[0][0]) * 1e9, hertz, 0.02, "samples a second")
        check("missing between others" not in said and "buffer was full" not in said, said)
        told.append(f"{len(found)} at {hertz} Hz")
    return ", ".join(told)


def values(host):
    """Percentages are such, the clock is one of a GPU, and kernels make the GPU busy."""
    profile, _, said = sampled(host, "values", "timed", 500, traces="none")
    percent = profile.rows("SELECT metricName, min(value), max(value) FROM GPU_METRICS JOIN TARGET_INFO_GPU_METRICS USING "
                           "(typeId, metricId) WHERE metricName LIKE '%[Throughput \\%]' ESCAPE '\\' GROUP BY 1")
    check(len(percent) >= 8 and all(least >= 0 and most <= 101 for _, least, most in percent), (percent, said))
    clocks = [value for _, value in series(profile, CLOCK) if value > 0]
    check(clocks and max(clocks) < 5000 and max(clocks) > 200, (min(clocks), max(clocks)))
    check(max(value for _, value in series(profile, GRAPHICS)) > 90, "no kernel of 2 ms fills a sample of 0.1 ms")
    return f"{len(percent)} percentages, GPC clock up to {max(clocks):.0f} MHz"


def clock(host):
    """The times of samples agree with those of kernels, as exactly as the recording says."""
    profile, account, said = sampled(host, "clock", "timed", 500)
    kernels = profile.rows("SELECT start, end FROM CUPTI_ACTIVITY_KIND_KERNEL WHERE end - start > 1000000 ORDER BY start")
    if not kernels:
        check("some versions of CUPTI deliver no kernels" in said, said)
        raise Missing("this CUPTI delivers no kernels while it samples, and the recording says so")
    check(len(kernels) == 500, f"{len(kernels)} kernels of {account['kernels']}")
    told = re.search(r"aligned with other times to within ([\d.]+) ms", said)
    margin = (float(told.group(1)) if told else 0) * 1e6 + 200_000
    inside = [value for time, value in series(profile, GRAPHICS)
              if any(start + margin <= time <= end - margin for start, end in kernels)]
    check(inside, f"no sample lies well within a kernel: the clock is known to {margin / 1e6:.3f} ms only")
    close(sum(inside) / len(inside), 100, 0.05, f"percent active within kernels, of {len(inside)} samples")
    return f"{len(inside)} samples within kernels, the clock known to {margin / 1e6:.3f} ms"


PARTS = (frequency, values, clock)
