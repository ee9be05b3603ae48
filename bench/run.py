#!/usr/bin/env python3
"""Measures sonde and its peers in one run, and prints the ratios.

    ./dev bench [--size PERCENT] [--runs N] [--before PROGRAM] [NAME...]

Names: dispatch_decision, kernels, import, report, ranges, pytorch, why, model, report_page, monitor, exposition, serve_scrape,
task_store, tasks, record; and build and build_checks (only by name).

The first run makes profiles under build/bench (about 4 GB at full size). Each number is the median of N runs that alternate
with those of its peer: wall time of whole processes with the file in the page cache. --size scales the profiles. why
needs the real profiles of SONDE_TEST_DATA; --before measures another build of sonde beside this one.
"""

import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import build
import record
import serve_scrape
import tasks

ROOT = Path(__file__).resolve().parent.parent
BUILD = ROOT / "build/release"
DATA = ROOT / "build/bench"
SONDE = BUILD / "sonde"

KERNELS = 5_000_000
RANGE_KERNELS = 2_000_000
REPORT_EVENTS = 6_000_000
PAGE_EVENTS = {"1M": 1_000_000, "5M": 5_000_000}
MONITOR_SECONDS = 20
# Eight GPUs whose calls take their time without taking the processor's: the stand-in sleeps. Assumed, since no published
# table has them all: tens of microseconds for what the driver keeps itself, up to a millisecond for what it asks the GPU's
# firmware for, 20 ms for PCIe traffic (NVML's documentation). Of real calls a part is processor time, in the kernel.
MONITOR_GPUS = """gpus = 8
delay_us = 30
delay_us.nvmlDeviceGetPowerUsage = 500
delay_us.nvmlDeviceGetTotalEnergyConsumption = 500
delay_us.nvmlDeviceGetTemperatureV = 300
delay_us.nvmlDeviceGetFieldValues = 1000
delay_us.nvmlDeviceGetPcieThroughput = 20000
delay_us.nvmlGpmSampleGet = 1000
event_poll_ms = 1000
gpu.0.processes = 4242 1073741824 train; 4243 1073741824 other
"""
PAGE_MB = {"1M": 10, "5M": 25}  # the most that a report may have
TRACE_MB = 160
WHY_KERNELS = 3_689  # of WHY_RUN
WHY_RUN = "nsys_sqlite/power_iteration_nvtx_osrt_samples_2025.3.1.sqlite"
WHY_TRACE = "kineto/hta_df_index_resolver_54MB.json.gz"  # unpacked
EVENTS_A_KERNEL = 3.38  # of `sonde synth --program inference`
EVENTS_A_MB = 3_755  # of its PyTorch form

# The columns of cuda_gpu_kern_sum, median and deviation included, in the SQL that a user would write.
KERN_SUM_SQL = """
WITH k AS (SELECT demangledName AS name, end - start AS d FROM CUPTI_ACTIVITY_KIND_KERNEL),
     r AS (SELECT name, d, row_number() OVER (PARTITION BY name ORDER BY d) AS i,
                  count(*) OVER (PARTITION BY name) AS n FROM k),
     m AS (SELECT name, avg(d) AS median FROM r WHERE i IN ((n + 1) / 2, (n + 2) / 2) GROUP BY name),
     s AS (SELECT name, count(*) AS n, sum(d) AS total, avg(d) AS mean, min(d) AS low, max(d) AS high FROM k GROUP BY name),
     v AS (SELECT k.name, sum((k.d - s.mean) * (k.d - s.mean)) AS squares FROM k JOIN s USING (name) GROUP BY k.name)
SELECT round(100.0 * total / (SELECT sum(total) FROM s), 1), total, n, round(mean, 1), median, low, high,
       round(CASE WHEN n > 1 THEN sqrt(squares / (n - 1)) ELSE 0 END, 1), value
FROM s JOIN m USING (name) JOIN v USING (name) JOIN StringIds ON id = s.name ORDER BY total DESC;
"""


class Run:
    """Wall time and peak memory of one process, and what it printed. Output goes to a file: a child's peak memory begins
    at that of this process, which therefore has to stay small."""

    def __init__(self, *command, stdin=None):
        self.printed = tempfile.TemporaryFile("w+")
        began = time.monotonic()
        process = subprocess.Popen([str(c) for c in command], stdin=subprocess.PIPE if stdin else None,
                                   stdout=self.printed, stderr=subprocess.PIPE, text=True)
        if stdin:
            process.stdin.write(stdin)
            process.stdin.close()
            process.stdin = None
        errors = process.stderr.read()
        _, status, usage = os.wait4(process.pid, 0)
        self.seconds = time.monotonic() - began
        self.peak_mb = usage.ru_maxrss / 1024
        if status != 0:
            sys.exit(f"bench: {' '.join(map(str, command))} ended with {status}: {errors.strip()}")

    @property
    def out(self):
        self.printed.seek(0)
        return self.printed.read()


class Bench:
    def __init__(self, size, runs, before=None):
        self.size, self.runs, self.before = size / 100, runs, before

    def made(self, name, *command):
        """The profile of this name, made by the command when it is not there; its last argument is the path."""
        path = DATA / f"{int(self.size * 100)}_{name}"
        if not path.exists():
            print(f"  making {path.name}", flush=True)
            Run(*[path if c == "OUT" else c for c in command])
        with open(path, "rb") as file:  # into the page cache, and not into this process: its children's peak begins there
            while file.read(1 << 20):
                pass
        return path

    def both(self, mine, peer):
        """Alternating runs of two commands: the median seconds of each, and the last run of each."""
        pairs = [(mine(), peer()) for _ in range(self.runs)]
        return (*(statistics.median(run.seconds for run in side) for side in zip(*pairs)), *pairs[-1])

    def kernels_file(self):
        events = int(KERNELS * EVENTS_A_KERNEL * self.size)
        return self.made("kernels.sqlite", SONDE, "synth", "--seed", 1, "--events", events, "-o", "OUT")

    def dispatch_decision(self):
        """A step of the dispatcher's engine with 10,000 waiting tasks on 64 GPUs, and the memory of a waiting task."""
        runs = [Run(BUILD / "bench/dispatch_decision").out.splitlines() for _ in range(self.runs)]
        for lines in zip(*runs):
            name, *figures = zip(*(line.split() for line in lines))
            first, *others = (statistics.median(map(float, column)) for column in figures)
            if not others:
                print(f"  {name[0]}: {first:.0f} bytes a waiting task")
                continue
            longest, starts = others
            print(f"  {name[0]}: {first:.3f} ms, {against(first, 1)}; the longest {longest:.3f} ms; {starts:.0f} starts")

    def kernels(self):
        """cuda_gpu_kern_sum beside the sqlite3 program computing the same columns."""
        path = self.kernels_file()
        report = lambda: Run(SONDE, "stats", "-q", "-r", "cuda_gpu_kern_sum", "-f", "csv", path)
        sql = lambda: Run("sqlite3", "-csv", f"file:{path}?immutable=1", stdin=KERN_SUM_SQL)
        mine, peer, my_run, sql_run = self.both(report, sql)
        rows = [len(run.out.strip().splitlines()) for run in (my_run, sql_run)]
        count = sum(int(line.split(",")[2]) for line in my_run.out.strip().splitlines()[1:])
        print(f"  {count} kernels, {rows[0] - 1} names (sqlite3: {rows[1]})")
        print(f"  sonde {mine:.2f} s, sqlite3 {peer:.2f} s: {peer / mine:.1f} times faster (wanted: 20), "
              f"peak {my_run.peak_mb:.0f} MB")

    def import_(self):
        """Reading the columns of a report beside a bare scan of them, on one core each and on all."""
        path = self.kernels_file()
        columns = "start,end,demangledName"
        report = lambda: Run(SONDE, "stats", "-q", "-r", "cuda_gpu_kern_sum", "-f", "csv", path)
        scan = lambda: Run(BUILD / "bench/bare_scan", path, "CUPTI_ACTIVITY_KIND_KERNEL", columns)
        mine, peer, *_ = self.both(report, scan)
        print(f"  report on {os.cpu_count()} cores {mine:.2f} s, bare scan {peer:.2f} s: ratio {mine / peer:.2f} (wanted: 1.5)")
        api = "start,end,deviceId,contextId,greenContextId,streamId,correlationId,globalPid"
        gpu = lambda: Run(SONDE, "summary", "--json", path)
        tables = []
        for table, more in (("KERNEL", "demangledName"), ("MEMCPY", "bytes,copyKind,srcKind,dstKind,migrationCause,"
                            "graphNodeId,virtualAddress"), ("MEMSET", "value,bytes,graphNodeId,memKind"),
                            ("SYNCHRONIZATION", "syncType,eventId")):
            tables += [f"CUPTI_ACTIVITY_KIND_{table}", f"{api},{more}"]
        tables += ["CUPTI_ACTIVITY_KIND_RUNTIME", "start,end,eventClass,globalTid,correlationId,nameId",
                   "NVTX_EVENTS", "start,end,eventType,text,textId,globalTid,domainId",
                   "OSRT_API", "start,end,nameId,globalTid,returnValue,nestingLevel"]
        all_tables = lambda: Run(BUILD / "bench/bare_scan", path, *tables)
        mine, peer, my_run, _ = self.both(gpu, all_tables)
        print(f"  summary on {os.cpu_count()} cores {mine:.2f} s, bare scan of its tables {peer:.2f} s: "
              f"ratio {mine / peer:.2f} (wanted: 1.5), peak {my_run.peak_mb:.0f} MB")

    def report(self):
        """A whole .nsys-rep, read and linked, beside unpacking its blocks and stepping over their fields, and beside the
        import of the same run's SQLite export."""
        run = self.made("report_source.sqlite", SONDE, "synth", "--seed", 1, "--events", int(REPORT_EVENTS * self.size),
                        "-o", "OUT")
        native = self.made("report.nsys-rep", BUILD / "tests/tools/write_nsys_report", run, "OUT")
        export = self.made("report.sqlite", SONDE, "convert", native, "OUT")
        whole = BUILD / "bench/model_size"
        mine, walk, my_run, walked = self.both(lambda: Run(whole, native), lambda: Run(BUILD / "bench/bare_walk", native))
        _, peer, _, peer_run = self.both(lambda: Run(whole, native), lambda: Run(whole, export))
        events = int(walked.out.split()[0])
        print(f"  {events} events, {native.stat().st_size / 1e6:.0f} MB: {mine:.2f} s on {os.cpu_count()} cores, "
              f"{events / mine / 1e6:.1f} M events/s (wanted: 3), {my_run.peak_mb * 1048576 / events:.0f} bytes of peak "
              f"memory an event (wanted: 150)")
        print(f"  bare walk {walk:.2f} s: ratio {mine / walk:.2f} (wanted: 2)")
        print(f"  SQLite export, {export.stat().st_size / 1e6:.0f} MB: {peer:.2f} s, {peer / mine:.2f} times as long, "
              f"{peer_run.peak_mb * 1048576 / events:.0f} bytes an event")

    def ranges(self):
        """Range-to-kernel reports over 2 M kernels, 7 M API calls and 16 M ranges, beside a bare scan; and at half."""
        seconds = {}
        for part, scale in (("half", 2), ("whole", 1)):
            kernels = int(RANGE_KERNELS * self.size) // scale
            path = self.made(f"ranges_{part}.sqlite", BUILD / "bench/many_ranges", "OUT", kernels)
            scan = lambda: Run(BUILD / "bench/bare_scan", path, "CUPTI_ACTIVITY_KIND_KERNEL",
                               "start,end,deviceId,contextId,streamId,correlationId,globalPid,demangledName",
                               "CUPTI_ACTIVITY_KIND_RUNTIME", "start,end,eventClass,globalTid,correlationId,nameId",
                               "NVTX_EVENTS", "start,end,eventType,text,textId,globalTid,domainId")
            for report in ("nvtx_gpu_proj_sum", "nvtx_kern_sum"):
                mine, peer, run, _ = self.both(lambda: Run(SONDE, "stats", "-q", "-r", report, "-f", "csv", path), scan)
                seconds[report, part] = mine
                print(f"  {report}, {kernels} kernels: {mine:.1f} s, bare scan {peer:.1f} s: ratio {mine / peer:.2f} "
                      f"(wanted: 3), peak {run.peak_mb:.0f} MB (wanted: 4000)")
        for report in ("nvtx_gpu_proj_sum", "nvtx_kern_sum"):
            print(f"  {report}: twice the events take {seconds[report, 'whole'] / seconds[report, 'half']:.2f} times as long")

    def pytorch(self):
        """A PyTorch trace from file to summary, beside `wc -l` reading the same bytes."""
        path = self.made("trace.json", SONDE, "synth", "--seed", 1, "--events", int(TRACE_MB * EVENTS_A_MB * self.size),
                         "-o", "OUT")
        megabytes = path.stat().st_size / 1e6
        mine, peer, run, _ = self.both(lambda: Run(SONDE, "summary", "--json", path), lambda: Run("wc", "-l", path))
        print(f"  {megabytes:.0f} MB: {mine:.2f} s, {megabytes / mine:.0f} MB/s (wanted: 400, aimed at: 800), "
              f"{mine / peer:.1f} times wc -l, peak {run.peak_mb:.0f} MB = {run.peak_mb * 1.048576 / megabytes:.2f} times "
              f"the file (wanted: 2)")

    def why(self):
        """why and summary of a real run many times over, why of a real PyTorch trace once and ten times over."""
        data = os.environ.get("SONDE_TEST_DATA")
        if not data:
            print("  skipped: SONDE_TEST_DATA does not name the folder of real profiles")
            return
        of_run = lambda n, name, source: self.made(name, sys.executable, ROOT / "bench/replicate.py", Path(data) / source,
                                                   max(1, int(n)), "OUT")
        run = of_run(KERNELS / WHY_KERNELS * self.size, "why.sqlite", WHY_RUN)
        self.with_before("why", run, 4, 1200)
        self.with_before("summary", run, 1.5)
        self.with_before("why", of_run(1, "why_54.json", WHY_TRACE), 0.08)
        self.with_before("why", of_run(10 * self.size, "why_540.json", WHY_TRACE), 0.45)

    def with_before(self, command, path, limit_s, limit_mb=None):
        """A command beside the same of the program given by --before."""
        programs = [SONDE] + ([self.before] if self.before else [])
        runs = [[Run(program, command, path) for program in programs] for _ in range(self.runs)]
        seconds, peaks = ([statistics.median(getattr(run, name) for run in side) for side in zip(*runs)]
                          for name in ("seconds", "peak_mb"))
        text = f"  {command}, {path.stat().st_size / 1e6:.0f} MB: {seconds[0]:.2f} s, {against(seconds[0], limit_s)}; "
        text += f"peak {peaks[0]:.0f} MB" + (f", {against(peaks[0], limit_mb)}" if limit_mb else "")
        if self.before:
            text += (f"; before {seconds[1]:.2f} s, {peaks[1]:.0f} MB: ratio {seconds[0] / seconds[1]:.2f} in time, "
                     f"{peaks[0] / peaks[1]:.2f} in memory")
        print(text)

    def model(self):
        """Memory that an event takes in the model."""
        path = self.made("model.sqlite", SONDE, "synth", "--seed", 1, "--program", "training", "--gpus", 2,
                         "--events", int(1_000_000 * self.size), "-o", "OUT")
        print("".join(f"  {line}\n" for line in Run(BUILD / "bench/model_size", path).out.splitlines()), end="")

    def report_page(self):
        """From a profile of 5 M events to its report page, beside the import alone; the page in headless Chromium."""
        pages = {}
        for size, events in PAGE_EVENTS.items():
            profile = self.made(f"page_{size}.sqlite", SONDE, "synth", "--seed", 1, "--events", int(events * self.size),
                                "-o", "OUT")
            pages[size] = DATA / f"{profile.stem}.html"
            write = lambda: Run(SONDE, "report", profile, "-o", pages[size], "--force-overwrite")
            mine, alone, run, _ = self.both(write, lambda: Run(BUILD / "bench/model_size", profile))
            megabytes = pages[size].stat().st_size / 1e6
            print(f"  {size} events: {mine:.2f} s, {against(mine, 10)}, peak {run.peak_mb:.0f} MB, "
                  f"{against(run.peak_mb, 2000)}; import alone {alone:.2f} s; {megabytes:.1f} MB of HTML, "
                  f"{against(megabytes, PAGE_MB[size])}")
        if not shutil.which(os.environ.get("SONDE_CHROMIUM", "chromium")):
            print("  skipped: there is no chromium to open the page in; SONDE_CHROMIUM can name a browser")
            return
        opened = self.in_browser("open", pages["5M"])
        paint, ready = (statistics.median(run[name] / 1000 for run in opened) for name in ("first_paint_ms", "ready_ms"))
        print(f"  5M events opened at the timeline: first paint {paint:.2f} s, {against(paint, 1)}; ready {ready:.2f} s, "
              f"{against(ready, 2)}")
        for levels in zip(*(run["levels"] for run in self.in_browser("pan", pages["1M"]))):
            rate = statistics.median(level["frames_per_s"] for level in levels)
            longest = statistics.median(level["longest_ms"] for level in levels)
            print(f"  1M events, {levels[0]['view_ns'] / 1e6:.2f} ms in view, panning: {rate:.0f} frames/s (wanted: 30), "
                  f"longest frame {longest:.0f} ms")

    def monitor(self):
        """Watching eight GPUs at 1 s, whole process, beside the reads alone; the history of a day."""
        script = DATA / "monitor_gpus.txt"
        script.write_text(MONITOR_GPUS)
        os.environ["SONDE_FAKE_NVML"] = str(script)
        runs = []
        for _ in range(self.runs):
            with tempfile.TemporaryDirectory() as folder:
                run = Run(BUILD / "bench/monitor_cost", BUILD / "tests/fake_nvml/libnvidia-ml.so.1", MONITOR_SECONDS, 1, folder)
                runs.append([float(word) for word in run.out.split()])
        reads, whole, rounds, longest, gpus = (statistics.median(column) for column in zip(*runs))
        print(f"  {gpus:.0f} GPUs, {rounds:.0f} rounds: {whole:.2f} % of a core, {against(whole, 0.5)}; the reads alone, the "
              f"stand-in's own work included, {reads:.2f} %; a round takes {longest * 1000:.0f} ms")
        day = Run(BUILD / "tests/sonde_unit_tests", "--gtest_filter=History.ADayOfEightGpusTakesLessThanFiveMegabytes")
        megabytes = float(day.out.split("a day of eight GPUs: ")[1].split()[0])
        print(f"  history of a day of eight GPUs: {megabytes:.2f} MB, {against(megabytes, 5)}")

    def serve_scrape(self):
        """A scrape of sonde serve's metrics over one connection, with eight stand-in GPUs read each second."""
        serve_scrape.measure(SONDE, against)

    def task_store(self):
        """Tasks saved a second, synced before each save returns (synchronous=FULL), beside the disk's own sync time."""
        with tempfile.TemporaryDirectory(dir=DATA) as folder:
            run = Run(BUILD / "bench/task_store", folder, int(20_000 * self.size))
        for line in run.out.splitlines():
            what, *figures = line.split()
            figures = [float(figure) for figure in figures]
            if what == "disk":
                print("  the disk syncs 4 KiB in {:.0f} us, 99th percentile {:.0f} us".format(*figures))
            elif what == "save":
                print("  {:.0f} a save: {:.0f} tasks/s, {:.1f} us of processor time a task; a save takes {:.0f} us, 99th "
                      "percentile {:.0f} us, at most {:.0f} us".format(*figures))
            else:
                print("  {:.0f} waiting tasks are checked and opened in {:.0f} ms, restored in {:.0f} ms".format(
                    figures[0], figures[1] / 1000, figures[2] / 1000))

    def tasks(self):
        """Tasks over the API: durable submissions, time to the start, 1,000 short ones beside task-spooler."""
        tasks.measure(SONDE, self.runs, against)

    def exposition(self):
        """The text that Prometheus scrapes, of hosts on which everything is known."""
        for gpus in (8, 64):
            run = Run(BUILD / "tests/tools/dump_exposition", "bench", gpus)
            wall, late_wall, processor, late, size = map(float, run.out.split())
            wanted = " (wanted: 2)" if gpus == 8 else ""
            print(f"  {gpus} GPUs, {size / 1e3:.0f} kB: {wall / 1e3:.2f} ms, 99th percentile {late_wall / 1e3:.2f} ms{wanted}; "
                  f"processor time {processor / 1e3:.2f} ms, 99th percentile {late / 1e3:.2f} ms")

    def record(self):
        """What sonde record costs a program: an NVTX range, a call of the OS, and memory at a million events a second."""
        record.measure(SONDE, self.runs, against)

    def build(self):
        """What a newcomer waits for: a fresh clone to the end of ./dev demo, and a changed file to a linked program."""
        build.measure(with_checks=False)

    def build_checks(self):
        """As build, and ./dev test and .ci/run with empty caches: about two hours."""
        build.measure(with_checks=True)

    def in_browser(self, what, page):
        script = ROOT / "bench/page_speed.mjs"
        return [json.loads(Run("node", script, what, page).out) for _ in range(self.runs)]


def against(value, limit):
    """ "12 % of the limit 10" """
    return f"{100 * value / limit:.0f} % of the limit {limit}"


def main():
    benches = {"dispatch_decision": Bench.dispatch_decision, "kernels": Bench.kernels, "import": Bench.import_, "report": Bench.report, "ranges": Bench.ranges,
               "pytorch": Bench.pytorch, "why": Bench.why, "model": Bench.model, "report_page": Bench.report_page,
               "monitor": Bench.monitor, "exposition": Bench.exposition, "serve_scrape": Bench.serve_scrape,
               "task_store": Bench.task_store, "tasks": Bench.tasks,
               "record": Bench.record}
    only_by_name = {"build": Bench.build, "build_checks": Bench.build_checks}
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--size", type=float, default=100, help="percent of the full size (100)")
    options.add_argument("--runs", type=int, default=3, help="runs of each side (3)")
    options.add_argument("--before", help="another build of sonde, to compare with (why)")
    options.add_argument("name", nargs="*", help=", ".join(benches | only_by_name))
    chosen = options.parse_args()
    for name in chosen.name:
        if name not in benches | only_by_name:
            options.error(f"there is no bench '{name}': {', '.join(benches | only_by_name)}")
    DATA.mkdir(parents=True, exist_ok=True)
    bench = Bench(chosen.size, chosen.runs, chosen.before)
    for name in chosen.name or benches:
        bench_of_name = (benches | only_by_name)[name]
        print(f"{name}: {bench_of_name.__doc__}", flush=True)
        bench_of_name(bench)


if __name__ == "__main__":
    main()
