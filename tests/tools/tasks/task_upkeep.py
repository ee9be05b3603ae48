#!/usr/bin/env python3
"""Tests `sonde serve` over days and over changes of its configuration: it removes old tasks, accepts changed types
while tasks wait, and finds a GPU that is slow for a type."""

import signal
import sqlite3
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "shared"))
from _serve import run_all, until
from _tasks import Tasks, same

DAY_NS = 86_400 * 10**9
EQUAL = "version: 1\ngpus:\n  - {name: Simulated GPU, count: 2, memory: 80 GiB}\n"
ONE_SLOT = "  multi_gpu:\n    max_concurrent_tasks_per_gpu: 1\n  utilization_threshold: 1\n"


def removes_what_is_old():
    """What ended keep_days ago goes with its files, batches and keys; numbers are not given again."""
    with Tasks(tasks="  tasks:\n    allow_undeclared_commands: true\n    keep_days: 2\n") as service:
        key = {"Idempotency-Key": "nightly"}
        old = service.submit("/bin/echo", "old", headers=key)
        before = service.submit("/bin/echo", "needed")
        status, batch = service.call("POST", "/api/v1/batches", {"tasks": [{"command": ["/bin/echo", "b"]}] * 2}, "submit")
        same(status, 201)
        for number in range(old, before + 3):
            service.until_state(number, "succeeded")
        young = service.submit("/bin/echo", "young")
        running = service.submit("/bin/sleep", "1000")
        blocked = service.submit("/bin/true", after=[running, before])
        service.until_state(young, "succeeded")
        service.until_state(running, "running")
        last = service.until_state(service.submit("/bin/true"), "succeeded")["id"]
        same(service.stop(), 0)
        ended_before(service, {old: 3, before: 3, before + 1: 3, before + 2: 3, young: 1, last: 3})
        service.start()

        def status_of(path):
            return service.call("GET", path, role="read")[0]

        until(lambda: status_of(f"/api/v1/tasks/{old}") == 404, "the removal")
        for number in (before + 1, before + 2, last):
            same((number, status_of(f"/api/v1/tasks/{number}")), (number, 404))
        same(status_of(f"/api/v1/batches/{batch['id']}"), 404)
        for number in (young, before, running, blocked):
            same((number, status_of(f"/api/v1/tasks/{number}")), (number, 200))
        same(service.output(young), "young\n")
        folders = service.path / "state/tasks/tasks"
        until(lambda: not (folders / str(old)).exists(), "the end of its files")
        same((folders / str(young)).exists(), True)
        same(service.submit("/bin/echo", "new", headers=key) > last, True)
        same(service.submit("/bin/true") > last, True)


def ended_before(service, days):
    """Puts the ends of tasks so many days back."""
    with sqlite3.connect(service.path / "state/tasks.db") as db:
        for number, back in days.items():
            db.execute("UPDATE tasks SET ended_ns = ? WHERE id = ?", (time.time_ns() - back * DAY_NS, number))
    db.close()


def types(*rows):
    return "  tasks:\n    types:\n" + "".join(f"      {row}\n" for row in rows)


HOLD = "hold: {command: [/bin/sh, -c, 'while [ ! -e \"$0\" ]; do sleep 0.02; done'], allow_arguments: true}"


def takes_changed_types_while_tasks_wait():
    first = types(HOLD, "say: {command: [/bin/echo, before]}", "gone: {command: [/bin/echo, of a type that is gone]}")
    with Tasks(ONE_SLOT, first) as service:

        def submitted(kind, **more):
            status, body = service.call("POST", "/api/v1/tasks", {"type": kind, **more}, "submit")
            return body["id"] if status == 201 else (status, body["type"])

        go = service.path / "go"
        holding = [submitted("hold", arguments=[str(go)]) for _ in range(2)]
        for number in holding:
            service.until_state(number, "running")
        waiting = [submitted("say"), submitted("gone")]
        same(submitted("say", arguments=["x"]), (403, "/problems/command_not_allowed"))
        text = service.config.read_text()
        changed = types(HOLD, "say: {command: [/bin/echo, after], allow_arguments: true}", "new: {command: [/bin/echo, new]}")
        service.config.write_text(text.replace(first, changed))
        service.process.send_signal(signal.SIGHUP)
        until(lambda: submitted("gone") == (400, "/problems/unknown_type"), "the change")
        waiting += [submitted("say", arguments=["x"]), submitted("new")]
        broken = types("say: {comand: [/bin/echo]}")
        service.config.write_text(text.replace(first, broken))
        status, body = service.call("POST", "/api/v1/config/reload", role="admin")
        same((status, body["type"]), (409, "/problems/invalid_configuration"))
        same([service.task(number)["state"] for number in waiting], ["waiting"] * 4)
        go.touch()
        for number in waiting:
            service.until_state(number, "succeeded", "failed")
        same([service.output(number) for number in waiting], ["before\n", "of a type that is gone\n", "after x\n", "new\n"])


def finds_a_gpu_that_is_slow_for_a_type():
    script = "case $CUDA_VISIBLE_DEVICES in $SLOW) sleep 0.3;; *) sleep 0.1;; esac"
    kind = f"work: {{command: [/bin/sh, -c, '{script}'], memory_bytes: 1GiB, simulated_utilization: 0, allow_environment: [SLOW]}}"
    with Tasks("  multi_gpu:\n    default_strategy: round_robin\n", types(kind), host=EQUAL) as service:
        uuids = [gpu["uuid"] for gpu in until(lambda: service.call("GET", "/api/v1/gpus", role="read")[1]["gpus"], "GPUs")]

        def incidents():
            return service.call("GET", "/api/v1/incidents?state=all", role="read")[1]["incidents"]

        def more_work_and_incidents():
            for _ in range(16):
                task = {"type": "work", "environment": {"SLOW": uuids[1]}}
                status, body = service.call("POST", "/api/v1/tasks", task, "submit")
                same(status, 201)
            service.until_state(body["id"], "succeeded")
            return [each for each in incidents() if each["detector"] == "gpu_slow_for_tasks"]

        found = until(more_work_and_incidents, "the incident")
        same(found[0]["gpu_uuid"], uuids[1])


TESTS = [removes_what_is_old, takes_changed_types_while_tasks_wait, finds_a_gpu_that_is_slow_for_a_type]

if __name__ == "__main__":
    sys.exit(run_all(TESTS))
