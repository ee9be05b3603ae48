"""Measures tasks on four simulated GPUs over the API of `sonde serve`, and with task-spooler on the same host."""

import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LOAD = ROOT / "build/release/bench/http_load"
TASKS = 1000
AT_ONCE = 4  # one on each GPU; as many in task-spooler
SUBMISSIONS = 50_000
CONNECTIONS = 16
WANTED_A_SECOND = 10_000
LOW_LOAD_TASKS = 300
START_LIMIT_MS = 10  # from the submission to the start, at the 99th percentile
GPUS = "version: 1\ngpus:\n  - {name: Simulated GPU, count: 4, memory: 80 GiB}\n"
# On GPUs that are all too hot nothing starts, and submissions are measured alone.
CONFIG = """  tasks:
    types:
      short: {command: [/bin/true], memory_bytes: 1GiB, simulated_utilization: 1}
      clock: {command: [/bin/date, +%%s.%%N], memory_bytes: 1GiB, simulated_utilization: 1}
gpu:
  max_temperature: %d
  multi_gpu:
    max_concurrent_tasks_per_gpu: %d
    max_queue_size: 1000000
"""
TYPE = '{"type": "short"}'


class Host:
    """A service with four simulated GPUs."""

    def __init__(self, folder, slots=1, hottest=85):
        from _serve import Service, until

        gpus = Path(folder) / "gpus.yaml"
        gpus.write_text(GPUS)
        self.service = Service("requests_per_second: 1000000\nburst: 1000000", CONFIG % (hottest, slots),
                               ("--simulated", str(gpus)))  # fmt: skip
        until(lambda: len(self.service.call("GET", "/api/v1/gpus", role="read")[1]["gpus"]) == 4, "the GPUs")
        self.until = until

    def __enter__(self):
        self.service.__enter__()
        return self

    def __exit__(self, *error):
        self.service.stop()
        self.service.__exit__(*error)

    def load(self, connections, count):
        """Seconds of so many submissions, and of one at the 50th and 99th percentile in ms."""
        run = subprocess.run([LOAD, str(self.service.port), str(connections), str(count), "/api/v1/tasks", TYPE],
                             capture_output=True, text=True, check=True,
                             env=os.environ | {"SONDE_API_KEY": self.service.keys["submit"]})  # fmt: skip
        seconds, created, others, p50, p99 = map(float, run.stdout.split())
        if created != count:
            raise SystemExit(f"{others:.0f} submissions were refused: {run.stderr}")
        return seconds, p50, p99

    def wait_until_idle(self, tasks):
        def over():
            queue = self.service.call("GET", "/api/v1/queue?limit=1", role="read")[1]
            return queue["length"] == 0 and not queue["running"]

        self.until(over, f"the end of {tasks} tasks")

    def tasks(self, most=500):
        """All of them, the newest first."""
        before = ""
        while True:
            page = self.service.call("GET", f"/api/v1/tasks?limit={most}{before}", role="read")[1]
            yield from page["tasks"]
            if page["next_before"] is None:
                return
            before = f"&before={page['next_before']}"


def memory_mb(process):
    for line in Path(f"/proc/{process.pid}/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) / 1024
    raise SystemExit("the service has no VmRSS")


def sonde_seconds(how):
    """From the first submission to the last end."""
    with tempfile.TemporaryDirectory() as folder, Host(folder) as host:
        began = time.perf_counter()
        if how == "batch":
            body = {"count": TASKS, "task": json.loads(TYPE)}
            status, batch = host.service.call("POST", "/api/v1/batches", body, role="submit")
            assert status == 201, batch
        else:
            host.load(1, TASKS)
        host.wait_until_idle(TASKS)
        seconds = time.perf_counter() - began
        states = [task["state"] for task in host.tasks()]
        if states.count("succeeded") != TASKS:
            raise SystemExit(f"{states.count('succeeded')} of {TASKS} tasks succeeded")
        return seconds


def spooler_seconds():
    with tempfile.TemporaryDirectory() as folder:
        environment = os.environ | {"TS_SOCKET": f"{folder}/socket", "TMPDIR": folder, "TS_MAXFINISHED": str(TASKS)}
        run = lambda *words: subprocess.run(["tsp", *words], env=environment, check=True, stdout=subprocess.DEVNULL)
        run("-S", str(AT_ONCE))
        began = time.perf_counter()
        for _ in range(TASKS):
            run("/bin/true")
        listed = lambda: subprocess.run(["tsp"], env=environment, check=True, capture_output=True, text=True).stdout
        while listed().count("finished") < TASKS:
            time.sleep(0.005)
        seconds = time.perf_counter() - began
        run("-K")
        return seconds


def sync_ms():
    """What fdatasync of 4 kB takes where the service's state is."""
    with tempfile.TemporaryDirectory() as folder, open(f"{folder}/sync", "wb", buffering=0) as file:
        times = []
        for _ in range(300):
            file.write(b"x" * 4096)
            began = time.perf_counter()
            os.fdatasync(file.fileno())
            times.append((time.perf_counter() - began) * 1000)
    return statistics.median(times)


def short_tasks(runs):
    """In turns, so that what else the host does falls on all alike."""
    seconds = {"task-spooler": [], "one by one": [], "batch": []}
    for _ in range(runs):
        for how, of_it in seconds.items():
            of_it.append(spooler_seconds() if how == "task-spooler" else sonde_seconds(how))
    spooler = statistics.median(seconds.pop("task-spooler"))
    for how, of_it in seconds.items():
        mine = statistics.median(of_it)
        print(f"  {TASKS} short tasks, {AT_ONCE} at once, {how}: {mine:.2f} s, task-spooler {spooler:.2f} s, "
              f"ratio {mine / spooler:.2f} (wanted: at most 1)")


def submissions():
    with tempfile.TemporaryDirectory() as folder, Host(folder, hottest=1) as host:
        host.load(CONNECTIONS, 2000)
        before = memory_mb(host.service.process)
        seconds, p50, p99 = host.load(CONNECTIONS, SUBMISSIONS)
        grown = memory_mb(host.service.process) - before
    rate = SUBMISSIONS / seconds
    print(f"  {SUBMISSIONS} durable submissions over {CONNECTIONS} connections: {rate:.0f} a second "
          f"(wanted: {WANTED_A_SECOND}), p50 {p50:.2f} ms, p99 {p99:.2f} ms; fdatasync alone {sync_ms():.2f} ms; "
          f"memory of the service per waiting task {grown * 1024 * 1024 / SUBMISSIONS:.0f} bytes")


def low_load(against):
    """Some tasks a second, one after the other, each of which prints when it started."""
    with tempfile.TemporaryDirectory() as folder, Host(folder, slots=8) as host:
        call, sent = host.service.call, {}
        connection = host.service.connect()
        for _ in range(LOW_LOAD_TASKS):
            began = time.time()
            status, task = call("POST", "/api/v1/tasks", {"type": "clock"}, role="submit", connection=connection)
            assert status == 201, task
            sent[task["id"]] = began
            time.sleep(0.02)
        host.wait_until_idle(LOW_LOAD_TASKS)
        started = {task: float(call("GET", f"/api/v1/tasks/{task}/log", role="read")[1]["text"]) for task in sent}
    waits = sorted(1000 * (started[task] - sent[task]) for task in sent)
    p50, p99 = waits[len(waits) // 2], waits[len(waits) * 99 // 100]
    print(f"  from the submission to the program's first words at low load, {len(waits)} tasks: p50 {p50:.1f} ms, "
          f"p99 {p99:.1f} ms, {against(p99, START_LIMIT_MS)} ms")


def measure(sonde, runs, against):
    os.environ["SONDE"] = str(sonde)
    sys.path.insert(0, str(ROOT / "tests/tools/shared"))
    submissions()
    low_load(against)
    if shutil.which("tsp"):
        short_tasks(runs)
    else:
        print("  skipped: task-spooler (tsp) is not installed")
