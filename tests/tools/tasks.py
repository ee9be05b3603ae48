#!/usr/bin/env python3
"""`sonde serve` runs tasks over HTTP on simulated GPUs: submitted, run, cancelled, over restarts and kills, with limits."""

import os
import signal
import subprocess
import sys
from pathlib import Path

from _serve import SONDE, Service, run_all, until

HOST = """version: 1
gpus:
  - {name: Simulated A, memory: 80 GiB, compute_capability: 9.0}
  - {name: Simulated B, memory: 40 GiB, compute_capability: 8.0}
"""
ANY_COMMAND = "  tasks:\n    allow_undeclared_commands: true\n"
EVERY_SECOND = "  monitoring:\n    interval: 1\n"


def same(found, wanted):
    if found != wanted:
        raise AssertionError(f"{found!r} where {wanted!r} was wanted")


class Tasks(Service):
    """A service that may run anything; `gpu` is YAML of the section gpu. Ends what is left of its tasks."""

    def __init__(self, gpu="", tasks=ANY_COMMAND):
        self.host = Path(os.environ.get("TMPDIR", "/tmp")) / f"sonde_tasks_{os.getpid()}.yaml"
        self.host.write_text(HOST)
        super().__init__("requests_per_second: 1000\nburst: 1000", f"{tasks}gpu:\n{EVERY_SECOND}{gpu}",
                         ("--simulated", str(self.host)))  # fmt: skip

    def __exit__(self, *what):
        self.end_left_tasks()
        super().__exit__(*what)
        self.host.unlink(missing_ok=True)

    def end_left_tasks(self):
        """Keepers and their tasks outlive the service: those of this folder are found by it."""
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        for process in Path("/proc").glob("[0-9]*"):
            try:
                text = (process / "environ").read_bytes() + (process / "cmdline").read_bytes()
                if str(self.path).encode() in text and int(process.name) != os.getpid():
                    os.kill(int(process.name), signal.SIGKILL)
            except OSError:
                continue

    def start_again(self):
        self.port_file.unlink(missing_ok=True)
        with self.log.open("a") as log:
            self.process = subprocess.Popen([SONDE, "serve", "--config", str(self.config), "--simulated", str(self.host)],
                                            stdout=log, stderr=log, env=self.environment)  # fmt: skip
        until(lambda: self.port_file.exists() or self.process.poll() is not None, "the port file")
        if self.process.poll() is not None:
            raise AssertionError(f"the service ended with {self.process.returncode}: {self.text()}")
        self.port = int(self.port_file.read_text().rsplit(":", 1)[1])

    def submit(self, *command, status=201, headers=None, **other):
        got, body = self.call("POST", "/api/v1/tasks", {"command": list(command), **other}, "submit", headers)
        if got != status:
            raise AssertionError(f"{got} where {status} was wanted: {body}")
        return body if status >= 400 else body["id"]

    def task(self, number):
        status, body = self.call("GET", f"/api/v1/tasks/{number}", role="read")
        same(status, 200)
        return body

    def until_state(self, number, *states):
        return until(lambda: (t := self.task(number))["state"] in states and t, f"task {number} {states}")

    def output(self, number):
        return self.call("GET", f"/api/v1/tasks/{number}/log", role="read")[1]["text"]

    def snapshot(self):
        return self.call("GET", "/api/v1/queue", role="read")[1]


def runs_a_task():
    with Tasks() as service:
        number = service.submit("/bin/sh", "-c", "echo gpu=$CUDA_VISIBLE_DEVICES; echo id=$SONDE_TASK_ID")
        task = service.until_state(number, "succeeded", "failed")
        same((task["state"], task["cause"]), ("succeeded", "exit"))
        uuid = task["attempts"][0]["gpus"][0]
        same(service.output(number), f"gpu={uuid}\nid={number}\n")
        explained = service.call("GET", f"/api/v1/tasks/{number}/explain", role="read")[1]
        same(explained["decisions"][0]["strategy"], "least_loaded")
        failed = service.until_state(service.submit("/bin/sh", "-c", "exit 3"), "failed")
        same((failed["cause"], failed["attempts"][0]["exit_status"]), ("exit", 3))
        until(lambda: "strategy=least_loaded" in service.text(), "the log line of the decision")
        metrics = service.call("GET", "/metrics")[1]
        same('sonde_tasks_ended_total{type="default",outcome="succeeded"} 1' in metrics, True)
        same("sonde_task_queue_wait_seconds_count" in metrics, True)


def shows_tasks_on_simulated_gpus():
    with Tasks() as service:
        number = service.submit("/bin/sleep", "1000", memory="8GiB")
        uuid = service.until_state(number, "running")["attempts"][0]["gpus"][0]

        def processes():
            gpus = service.call("GET", "/api/v1/gpus", role="read")[1]["gpus"]
            return [p for gpu in gpus if gpu["uuid"] == uuid for p in gpu["processes"] or []]

        until(processes, "the task on its GPU")
        same(service.call("POST", f"/api/v1/tasks/{number}/cancel", role="submit")[0], 200)
        service.until_state(number, "cancelled")
        until(lambda: not processes(), "the GPU without the task")


def goes_on_after_a_restart_and_a_kill():
    with Tasks("  multi_gpu:\n    max_concurrent_tasks_per_gpu: 1\n") as service:
        marks = service.path / "marks"
        marks.mkdir()

        def marked(name, wait="true"):
            return service.submit("/bin/sh", "-c", f"echo ran >> {marks}/{name}; {wait}; echo over >> {marks}/{name}")

        released = f"while [ ! -e {marks}/go ]; do sleep 0.05; done"
        running = [marked("a", released), marked("b", released)]
        waiting = marked("c")
        for number in running:
            service.until_state(number, "running")
        until(lambda: (marks / "a").exists() and (marks / "b").exists(), "both tasks")
        service.process.kill()
        service.process.wait()
        service.start_again()
        same(service.task(waiting)["state"], "waiting")
        same([service.task(number)["state"] for number in running], ["running", "running"])
        same(service.stop(), 0)
        (marks / "go").touch()
        until(lambda: all("over" in (marks / name).read_text() for name in "ab"), "the tasks' ends without a service")
        service.start_again()
        for number in (*running, waiting):
            same(service.until_state(number, "succeeded", "failed")["state"], "succeeded")
        for name in "abc":
            same((marks / name).read_text(), "ran\nover\n")


def limits_and_changes_hold_at_once():
    gpu = "  multi_gpu:\n    max_concurrent_tasks_per_gpu: 1\n    max_queue_size: 2\n  utilization_threshold: 1\n"
    with Tasks(gpu) as service:
        numbers = [service.submit("/bin/sleep", "1000", memory="1GiB") for _ in range(2)]
        for number in numbers:
            service.until_state(number, "running")
        waiting = [service.submit("/bin/sleep", "1000", memory="1GiB") for _ in range(2)]
        same(service.submit("/bin/true", status=429)["type"], "/problems/queue_full")
        same(int(service.headers["retry-after"]) >= 1, True)
        same(service.call("POST", "/api/v1/config/gpu/strategy", {"strategy": "round_robin"}, "admin")[0], 200)
        more = {"max_concurrent_tasks": 2}
        same(service.call("POST", "/api/v1/config/gpu/max_concurrent_tasks", more, "admin")[0], 200)
        for number in waiting:
            service.until_state(number, "running")
        explained = service.call("GET", f"/api/v1/tasks/{waiting[0]}/explain", role="read")[1]
        same(explained["decisions"][0]["strategy"], "round_robin")


def waits_no_longer_than_the_queue_allows():
    with Tasks("  multi_gpu:\n    max_concurrent_tasks_per_gpu: 1\n    queue_timeout: 0.5\n") as service:
        for number in [service.submit("/bin/sleep", "1000") for _ in range(2)]:
            service.until_state(number, "running")
        task = service.until_state(service.submit("/bin/true"), "cancelled", "succeeded")
        same((task["state"], task["cause"]), ("cancelled", "queue_timeout"))


def a_key_makes_one_task():
    with Tasks() as service:
        key = {"Idempotency-Key": "once"}
        first = service.submit("/bin/true", headers=key)
        same(service.submit("/bin/true", headers=key, status=200), first)
        service.until_state(first, "succeeded")
        same(service.submit("/bin/false", headers=key, status=409)["type"], "/problems/key_used")


def a_mapping_to_a_missing_gpu_is_an_error_at_the_start():
    try:
        with Tasks("  multi_gpu:\n    task_specific_mappings: {train: gpu_7}\n"):
            pass
    except AssertionError as error:
        same("gpu_7" in str(error), True)
    else:
        raise AssertionError("it started")


TESTS = [runs_a_task, shows_tasks_on_simulated_gpus, goes_on_after_a_restart_and_a_kill, limits_and_changes_hold_at_once,
         waits_no_longer_than_the_queue_allows, a_key_makes_one_task,
         a_mapping_to_a_missing_gpu_is_an_error_at_the_start]  # fmt: skip

if __name__ == "__main__":
    sys.exit(run_all(TESTS))
