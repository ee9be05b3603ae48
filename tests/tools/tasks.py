#!/usr/bin/env python3
"""`sonde serve` runs tasks over HTTP on simulated GPUs: submitted, run, cancelled, over restarts and kills, with limits."""

import sys

from _serve import run_all, until
from _tasks import Tasks, same


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
        service.start()
        same(service.task(waiting)["state"], "waiting")
        same([service.task(number)["state"] for number in running], ["running", "running"])
        same(service.stop(), 0)
        (marks / "go").touch()
        until(lambda: all("over" in (marks / name).read_text() for name in "ab"), "the tasks' ends without a service")
        service.start()
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


def a_log_is_there_from_the_start():
    """Also between the answer to a submission and the start: it is empty then, and not over before the task is."""
    with Tasks() as service:
        connection = service.connect()
        for i in range(100):
            task = {"command": ["/bin/echo", str(i)]}
            number = service.call("POST", "/api/v1/tasks", task, "submit", connection=connection)[1]["id"]
            while True:
                path = f"/api/v1/tasks/{number}/log?follow=true"
                status, log = service.call("GET", path, role="read", connection=connection)
                same((status, log.get("text") in ("", f"{i}\n")), (200, True))
                if log["whole"]:
                    break
            same((log["text"], service.task(number)["state"]), (f"{i}\n", "succeeded"))


def a_mapping_to_a_missing_gpu_is_an_error_at_the_start():
    try:
        with Tasks("  multi_gpu:\n    task_specific_mappings: {train: gpu_7}\n"):
            pass
    except AssertionError as error:
        same("gpu_7" in str(error), True)
    else:
        raise AssertionError("it started")


TESTS = [runs_a_task, shows_tasks_on_simulated_gpus, goes_on_after_a_restart_and_a_kill, limits_and_changes_hold_at_once,
         waits_no_longer_than_the_queue_allows, a_key_makes_one_task, a_log_is_there_from_the_start,
         a_mapping_to_a_missing_gpu_is_an_error_at_the_start]  # fmt: skip

if __name__ == "__main__":
    sys.exit(run_all(TESTS))
