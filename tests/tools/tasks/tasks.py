#!/usr/bin/env python3
"""`sonde serve` runs tasks over HTTP on simulated GPUs: submitted, run, cancelled, over restarts and kills, with limits."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "shared"))
from _serve import ROOT, run_all, until
from _tasks import ANY_COMMAND, Tasks, same

NO_TASKS = ANY_COMMAND + "    enabled: false\n"
DECLARED = "  tasks:\n    types:\n      say: {command: [/bin/echo, said]}\n"


def runs_a_task():
    with Tasks() as service:
        number = service.submit("/bin/sh", "-c", "echo gpu=$CUDA_VISIBLE_DEVICES; echo id=$SONDE_TASK_ID")
        task = service.until_state(number, "succeeded", "failed")
        same((task["state"], task["cause"]), ("succeeded", "exit"))
        uuid = task["attempts"][0]["gpus"][0]
        same(service.output(number), f"gpu={uuid}\nid={number}\n")
        same(service.decision(number)["strategy"], "least_loaded")
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
        same(service.decision(waiting[0])["strategy"], "round_robin")


def a_changed_file_holds_at_once():
    with Tasks("  max_temperature: 1\n") as service:
        waiting = service.submit("/bin/true")

        def refusals():
            return [refusal["rule"] for gpu in service.explain(waiting)["gpus"] for refusal in gpu["refusals"]]

        until(lambda: refusals() == ["max_temperature"] * 2, "the reason for which it waits")
        service.change("  max_temperature: 85\n", DECLARED)
        service.until_state(waiting, "succeeded")
        same(service.submit("/bin/true", status=403)["type"], "/problems/command_not_allowed")
        said = service.submit(type="say")
        service.until_state(said, "succeeded")
        same(service.output(said), "said\n")


def gpus_that_are_switched_off_are_watched_on():
    with Tasks() as service:
        released = service.path / "go"
        running = service.submit("/bin/sh", "-c", f"while [ ! -e {released} ]; do sleep 0.05; done")
        service.until_state(running, "running")
        service.change("  enabled: false\n")
        same(service.submit("/bin/true", status=503)["type"], "/problems/gpus_disabled")
        service.until_state(service.submit("/bin/true", gpus=0), "succeeded")

        def moments():
            return [gpu["moment"] for gpu in service.call("GET", "/api/v1/gpus", role="read")[1]["gpus"]]

        before = moments()
        same(len(before), 2)
        until(lambda: all(now > then for now, then in zip(moments(), before)), "a later sample of each GPU")
        same(service.task(running)["state"], "running")
        released.touch()
        service.until_state(running, "succeeded")


def tasks_are_switched_on_and_off():
    with Tasks("", NO_TASKS) as service:
        same(service.submit("/bin/true", status=503)["type"], "/problems/tasks_disabled")
        same("sonde.tasks.enabled is false" in str(service.call("GET", "/api/v1/health", role="read")[1]), True)
        service.change()
        service.until_state(service.submit("/bin/true"), "succeeded")
        released = service.path / "go"
        running = service.submit("/bin/sh", "-c", f"while [ ! -e {released} ]; do sleep 0.05; done")
        service.change("", NO_TASKS)
        same(service.submit("/bin/true", status=503)["type"], "/problems/tasks_disabled")
        same(service.stop(), 0)
        service.start()
        released.touch()
        service.until_state(running, "succeeded")


def what_is_switched_off_may_be_broken():
    with Tasks("", NO_TASKS) as service:
        same(service.stop(), 0)
        (service.path / "state" / "tasks.db").write_text("overwritten " * 1000)
        service.start()
        same(service.call("GET", "/api/v1/gpus", role="read")[0], 200)
        same(service.submit("/bin/true", status=503)["type"], "/problems/tasks_disabled")
        until(lambda: "enabling them requires a restart" in service.text(), "the warning")
        same(service.stop(), 0)
        service.configure()
        try:
            service.start()
        except AssertionError as error:
            same("restore a backup" in str(error).splitlines()[-1], True)
        else:
            raise AssertionError("it started without its tasks")


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


# Of each of the four files in use: a batch of so many tasks of a type, the strategy, and how many tasks each GPU gets.
FILES = [("basic", "default", 8, "least_loaded", [4, 4]),
         ("task_specific", "text_generation", 8, "task_specific", [8]),
         ("high_performance", "default", 16, "memory_optimized", [8, 8]),
         ("high_reliability", "default", 8, "least_loaded", [2, 2, 2, 2])]  # fmt: skip


def each_file_in_use_runs_tasks():
    four = (ROOT / "examples/simulated_four_gpus.yaml").read_text()
    for name, kind, count, strategy, split in FILES:
        whole = ANY_COMMAND + (ROOT / f"examples/config_{name}.yaml").read_text()
        with Tasks(whole=whole, host=four) as service:
            tasks = [{"type": kind, "command": ["/bin/true"], "memory": "1GiB"}] * count
            status, batch = service.call("POST", "/api/v1/batches", {"tasks": tasks}, "submit")
            same(status, 201)
            for number in batch["tasks"]:
                service.until_state(number, "succeeded")
            path = f"/api/v1/batches/{batch['id']}"
            same(sorted(service.call("GET", path, role="read")[1]["split"].values()), split)
            decision = service.decision(batch["tasks"][0])
            same(decision["strategy"], strategy)
            if strategy == "task_specific":
                same([gpu["id"] for gpu in decision["gpus"] if gpu["chosen"]], ["gpu_1"])


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
         a_changed_file_holds_at_once, gpus_that_are_switched_off_are_watched_on, tasks_are_switched_on_and_off,
         what_is_switched_off_may_be_broken, waits_no_longer_than_the_queue_allows, a_key_makes_one_task,
         a_log_is_there_from_the_start, each_file_in_use_runs_tasks,
         a_mapping_to_a_missing_gpu_is_an_error_at_the_start]  # fmt: skip

if __name__ == "__main__":
    sys.exit(run_all(TESTS))
