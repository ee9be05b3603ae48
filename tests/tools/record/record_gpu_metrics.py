#!/usr/bin/env python3
"""GPU metrics over time under `sonde record`: through the stand-in for CUPTI's PM sampling, whose values are known by
construction (tests/fakes/cuda/pm_sampling.cc)."""

import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "shared"))
from _cuda import PROGRAM, SCALE, Cuda, accounts, alone, environment, record
from _recorded import PATIENCE_S, SONDE, check

SMS, ISSUE, ENGINE = "SMs Active [Throughput %]", "SM Issue [Throughput %]", "GR Active [Throughput %]"
# The stand-in gives most metrics the length of their NVIDIA name.
CONSTANT = {"DRAM Read Bandwidth [Throughput %]": len("dramc__read_throughput.avg.pct_of_peak_sustained_elapsed"),
            "Async Copy Engine Active [Throughput %]":
                len("gpu__scheduler_engine_asyncce0_cycles_active.avg.pct_of_peak_sustained_elapsed"),
            "GPC Clock Frequency [MHz]": 1500, "SYS Clock Frequency [MHz]": 1250}
METRICS = 14  # of the set's, without NVLink's two
FASTEST_NS, SLOW_NS = 100_000, 1_000_000
NEITHER = "GPU metrics that the GPU does not support: NVLink RX Bandwidth [Throughput %], NVLink TX Bandwidth [Throughput %]"


class Sampled(Cuda):
    def series(self, name, device=0):
        """[(time, value), ...]"""
        return self.rows("SELECT timestamp, value FROM GPU_METRICS JOIN TARGET_INFO_GPU_METRICS USING (typeId, metricId) "
                         "WHERE metricName = ? AND typeId & 255 = ? ORDER BY timestamp", name, device)

    def names(self, device=0):
        return {name for (name,) in self.rows(
            "SELECT metricName FROM TARGET_INFO_GPU_METRICS WHERE typeId & 255 = ?", device)}

    def remark(self, words):
        """The one that has them."""
        found = [text for text in self.remarks() if words in text]
        check(len(found) == 1, f"{len(found)} remarks with '{words}': {self.remarks()}")
        return found[0]

    def samples_told(self, device=0):
        return int(re.search(r": (\d+) samples of", self.remark(f"GPU metrics of GPU {device} (")).group(1))


def sample(path, *words, devices="all", options=(), **settings):
    run = record(path, *words, options=[f"--gpu-metrics-devices={devices}", *options], **settings)
    return run, Sampled(path)


def distances(times):
    return [later - earlier for earlier, later in zip(times, times[1:])]


def steps(values):
    """Of numbers that count to 100 and begin again at 0."""
    return {(later - earlier) % 101 for earlier, later in zip(values, values[1:])}


def values(folder):
    for version in ("12.8", "13.0"):
        run, recorded = sample(folder / f"values{version}.sqlite", "spaced", 4, version=version)
        check(run.returncode == 0 and "warning" not in run.stderr, run.stderr)
        for device in (0, 1):
            check(len(recorded.names(device)) == METRICS, (version, device, recorded.names(device)))
            for name, value in CONSTANT.items():
                found = {value for _, value in recorded.series(name, device)}
                check(found == {value}, (version, device, name, found))
            check(recorded.series(ENGINE, device) == recorded.series(SMS, device), "the engine is busy when an SM is")
            issue = recorded.series(ISSUE, device)
            check(len(issue) == recorded.samples_told(device) > 0, (len(issue), run.stderr))
            check(steps([value for _, value in issue]) == {1}, (version, "samples are missing or twice"))
        check(recorded.remark("GPU metrics that the GPU") == NEITHER, recorded.remarks())
        check(sum(value for _, value in recorded.series(SMS, 1)) == 0, "nothing ran on the other GPU")
        busy(recorded)


def busy(recorded):
    """SMs are busy while kernels run, and only then: their times are those of the kernels."""
    ((first, last),) = recorded.rows("SELECT min(start), max(end) FROM CUPTI_ACTIVITY_KIND_KERNEL")
    margin = 2 * FASTEST_NS
    inside = outside = 0
    kernels = recorded.rows("SELECT start, end FROM CUPTI_ACTIVITY_KIND_KERNEL ORDER BY start")
    for time, value in recorded.series(SMS):
        if any(start + margin <= time <= end - margin for start, end in kernels):
            inside += 1
            check(value == 100, f"{value} % at {time}, within a kernel")
        elif first - margin < time < last + margin and not any(s - margin < time < e + margin for s, e in kernels):
            outside += 1
            check(value == 0, f"{value} % at {time}, between kernels")
    check(inside > 0 and outside > 0, f"{inside} samples within kernels, {outside} between: +- {margin} ns")


def times(folder):
    """As often as was asked for, within the recording."""
    for frequency, apart in ((10_000, FASTEST_NS), (1000, SLOW_NS)):
        run, recorded = sample(folder / f"times{frequency}.sqlite", "spaced", 4,
                               options=["--gpu-metrics-frequency", str(frequency)])
        seen = [time for time, _ in recorded.series(SMS)]
        ((duration,),) = recorded.rows("SELECT max(duration) FROM ANALYSIS_DETAILS")
        check(seen[0] >= 0 and seen[-1] <= duration, (seen[0], seen[-1], duration))
        check(all(abs(distance - apart) <= apart / 20 for distance in distances(seen)), (run.stderr, set(distances(seen))))
        check(f"at {frequency} Hz ({frequency} requested)" in recorded.remark("GPU metrics of GPU 0 ("),
              recorded.remarks())


def devices(folder):
    _, recorded = sample(folder / "one.sqlite", "spaced", 4, devices="1")
    check(not recorded.names(0) and len(recorded.names(1)) == METRICS, (recorded.names(0), recorded.names(1)))
    _, recorded = sample(folder / "visible.sqlite", "spaced", 4, devices="cuda-visible")
    check(recorded.series(SMS, 0) and recorded.series(SMS, 1), "both GPUs are visible")
    run, recorded = sample(folder / "absent.sqlite", "spaced", 4, devices="0,7")
    check(recorded.series(SMS) and "of GPU 7 were not sampled: the program sees no such GPU" in run.stderr, run.stderr)
    run, recorded = sample(folder / "none.sqlite", "spaced", 1, devices="none")
    check(not recorded.names() and "GPU metrics" not in run.stderr, run.stderr)
    run = record(folder / "older.sqlite", "spaced", 4, options=["--gpu-metrics-device=0"])
    check(Sampled(folder / "older.sqlite").series(SMS), "the older name of the option")


def alone_of_all(folder):
    """GPU metrics are recorded where nothing else is."""
    run, recorded = sample(folder / "only.sqlite", "spaced", 3, devices="0", traces="none")
    check(recorded.series(SMS) and not recorded.kernels() and "nothing was recorded" not in run.stderr, run.stderr)
    check(recorded.rows("SELECT name, cuDevice FROM TARGET_INFO_GPU") == [("FAKE100", 0)],
          recorded.rows("SELECT name, cuDevice FROM TARGET_INFO_GPU"))


def refusals(folder):
    """Why there is nothing, and what to do; the program and the rest of its recording are unchanged."""
    for fault, version, sentence in (
            ("", "12.4", "; CUPTI of CUDA 12.6 or later is required; `sonde top`"),
            ("", None, "were not sampled: CUPTI could not be opened"),
            ("pm_fails=35", "13.0", "NVreg_RestrictProfilingToAdminUsers=0"),
            ("pm_fails=26", "13.0", "another tool uses the GPU's counters"),
            ("pm_fails=27", "13.0", "it (cuptiPmSamplingGetCounterAvailability: CUPTI_ERROR_NOT_SUPPORTED)"),
            ("pm_fails=999", "13.0", "were not sampled: cuptiPmSamplingGetCounterAvailability: CUPTI_ERROR_UNKNOWN"),
            ("pm_unknown_chip", "13.0", "CUPTI cannot sample it (cuptiProfilerHostInitialize:")):
        run, recorded = sample(folder / f"refused{fault}{version}.sqlite", "spaced", 4, devices="0", faults=fault,
                               version=version)
        (account,) = accounts(run)
        check(sentence in run.stderr and recorded.has_remark(sentence), (fault, version, run.stderr))
        check(run.returncode == 0 and not recorded.names(), (fault, recorded.names()))
        check(version is None or recorded.kernels() == account["kernels"], (fault, recorded.kernels()))
    run = subprocess.run([SONDE, "record", "-o", str(folder / "no_cuda.sqlite"), "--gpu-metrics-devices=all", "true"],
                         capture_output=True, text=True, timeout=PATIENCE_S, check=False)
    check("no GPU metrics were sampled" in run.stderr, run.stderr)


def one_pass(folder):
    run, recorded = sample(folder / "passes.sqlite", "spaced", 3, devices="0", faults="pm_fit=5")
    first = {SMS, ISSUE, "GR Active [Throughput %]", "Tensor Active [Throughput %]", "DRAM Read Bandwidth [Throughput %]"}
    check(recorded.names() == first and recorded.series(SMS), recorded.names())
    left_out = recorded.remark("do not fit into one pass").partition("with the others: ")[2].split(", ")
    check(len(left_out) == METRICS - len(first) and first.isdisjoint(left_out), run.stderr)


def turing(folder):
    """A chip that samples by cycles of a clock whose frequency nobody tells: how often it came to is told."""
    _, recorded = sample(folder / "turing.sqlite", "spaced", 3, devices="0", faults="pm_turing")
    check(recorded.series(SMS) and "Tensor Active [Throughput %]" not in recorded.names(), recorded.names())
    told = re.search(r"GPU 0 \(TU102\): .* at (\d+) Hz", recorded.remark("GPU metrics of GPU 0 ("))
    seen = [time for time, _ in recorded.series(SMS)]
    apart = (seen[-1] - seen[0]) / (len(seen) - 1)
    check(abs(apart * int(told.group(1)) / 1e9 - 1) < 0.01 and apart != FASTEST_NS, (apart, told.group()))


def losses(folder):
    run, recorded = sample(folder / "overflow.sqlite", "spaced", 6, devices="0", faults="pm_overflow=4")
    check(recorded.has_remark("the hardware buffer was full", ": 1") and recorded.has_remark("samples missing between others"),
          run.stderr)
    counts = [value for _, value in recorded.series(ISSUE)]
    begins = sum(later == 1 and earlier != 0 for earlier, later in zip([None, *counts], counts))
    check(begins >= 2, f"sampling began {begins} times, each time without its first sample")
    run, recorded = sample(folder / "displaced.sqlite", "spaced", 3, devices="0", faults="pm_displaced=100000000")
    check(not recorded.series(SMS) and "at which they cannot have been taken" in run.stderr, run.stderr)
    _, recorded = sample(folder / "timeless.sqlite", "spaced", 3, devices="0", faults="pm_timeless=10")
    timeless = int(recorded.remark("samples without times").rpartition(" ")[2])
    missing = int(recorded.remark("samples missing between others").rpartition(" ")[2])
    check(0 <= timeless - missing <= 2 and timeless >= recorded.samples_told() // 9 - 2, (timeless, missing))


def own_metrics(folder):
    name = "sm__inst_executed_realtime.avg.pct_of_peak_sustained_elapsed"
    run, recorded = sample(folder / "own.sqlite", "spaced", 4, devices="0",
                           options=["--gpu-metrics-set", f"{name},sm__missing.sum"])
    check(recorded.names() == {name} and steps([value for _, value in recorded.series(name)]) == {1}, recorded.names())
    check(recorded.has_remark("that the GPU does not support: sm__missing.sum"), run.stderr)
    run, recorded = sample(folder / "nothing.sqlite", "spaced", 4, devices="0",
                           options=["--gpu-metrics-set=sm__missing.sum"])
    check(not recorded.names() and "has none of the requested metrics" in run.stderr, run.stderr)


def processes(folder):
    """A GPU is one process's at a time; when that one ends another takes it over."""
    path = folder / "both.sqlite"
    script = f"{PROGRAM} spaced 8 & {PROGRAM} spaced 16; wait"
    run = subprocess.run([SONDE, "record", "-t", "cuda", "-o", path, "--gpu-metrics-devices=0", "--", "sh", "-c", script],
                         capture_output=True, text=True, timeout=PATIENCE_S, check=False, env=environment())
    recorded = Sampled(path)
    seen = [time for time, _ in recorded.series(SMS)]
    check(min(distances(seen)) >= FASTEST_NS / 2, f"samples {min(distances(seen))} ns apart")
    check("warning" not in run.stderr, run.stderr)
    check(recorded.kernels() == {SCALE: [24, 24 * 30_000_000]}, recorded.kernels())


def unchanged(folder):
    def of(text):
        return [{key: value for key, value in json.loads(line).items() if key not in ("pid", "last_end", "is_listened")}
                for line in text.splitlines()]

    for words in (["status", 7], ["plain", 3], ["forks", 2], ["processes", 3], ["threads", 3], ["exec", 2]):
        run, recorded = sample(folder / f"same{words[0]}.sqlite", *words)
        bare = alone(*words)
        check(run.returncode == bare.returncode and of(run.stdout) == of(bare.stdout), (words, run.stdout, bare.stdout))
        check(recorded.kernels().keys() == {name for account in accounts(run) for name in account["kernels"]}, words)


def ends(folder):
    """A program that is killed keeps what it had; one that goes on is sampled until the recording's end."""
    _, recorded = sample(folder / "killed.sqlite", "kill", 5, devices="0")
    ((last,),) = recorded.rows("SELECT max(end) FROM CUPTI_ACTIVITY_KIND_KERNEL")
    seen = [time for time, _ in recorded.series(SMS)]
    check(seen[0] < last + 2e9 and seen[-1] > last, (seen[0], seen[-1], last))
    _, recorded = sample(folder / "duration.sqlite", "paced", 1_000_000, devices="0", options=["-d", "1", "--kill=sigkill"])
    check(recorded.series(SMS), "nothing of a program that goes on")
    run, recorded = sample(folder / "later.sqlite", "plain", 2, devices="0", options=["-y", "600"])
    check(run.returncode == 0 and not recorded.series(SMS), "what came before the delay was over")


def analyses(folder):
    """The profile's readers find the metrics without being told."""
    path = folder / "read.sqlite"
    sample(path, "spaced", 4, devices="0")
    info = subprocess.run([SONDE, "info", path], capture_output=True, text=True, timeout=PATIENCE_S, check=True).stdout
    check("counter" in info.lower() and "SM utilization is unknown" not in info, info)


def main():
    with tempfile.TemporaryDirectory() as name:
        for part in (values, times, devices, alone_of_all, refusals, one_pass, turing, losses, own_metrics, processes,
                     unchanged, ends, analyses):
            print(f"{part.__name__}: {part(Path(name)) or 'ok'}", flush=True)


if __name__ == "__main__":
    main()
