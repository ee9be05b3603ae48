#!/usr/bin/env python3
"""Tests tasks that use workers (KServe v2): each GPU's worker gets its own requests, responses are the tasks' output,
and failures of workers are reported, and retried or not."""

import json
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "shared"))
from _serve import Service, run_all, until
from _worker import Worker

HOST = "version: 1\ngpus:\n  - {name: Simulated GPU, count: 2, memory: 80 GiB}\n"
CONFIG = """  tasks:
    retries: 2
    types:
      classify:
        model: resnet.50
        model_version: "3"
        workers: {{gpu_0: "http://127.0.0.1:{first}", gpu_1: "http://127.0.0.1:{second}/"}}
        memory_bytes: 1GiB
        simulated_utilization: 1
      one_worker:
        model: bert
        workers: {{gpu_1: "http://127.0.0.1:{second}"}}
        memory_bytes: 1GiB
        simulated_utilization: 1
      nobody_there:
        model: bert
        workers: {{gpu_0: "http://127.0.0.1:{closed}"}}
        memory_bytes: 1GiB
"""


class Setting:
    def __enter__(self):
        self.folder = tempfile.TemporaryDirectory()
        host = Path(self.folder.name) / "host.yaml"
        host.write_text(HOST)
        self.workers = [Worker(), Worker()]
        closed = Worker()
        closed.server.server_close()
        config = CONFIG.format(first=self.workers[0].port, second=self.workers[1].port, closed=closed.port)
        self.service = Service("", config, ("--simulated", str(host)))
        until(lambda: len(self.service.call("GET", "/api/v1/gpus", role="read")[1]["gpus"]) == 2, "the GPUs")
        return self

    def __exit__(self, *error):
        for worker in self.workers:
            worker.held.set()
        self.service.stop()
        self.service.__exit__(*error)
        self.folder.cleanup()

    def submit(self, kind, number=1, **more):
        body = {"type": kind, "request": {"inputs": [{"name": "x", "shape": [1], "datatype": "INT32", "data": [number]}]}}
        status, task = self.service.call("POST", "/api/v1/tasks", body | more, role="submit")
        assert status == 201, task
        return task["id"]

    def task(self, number):
        return self.service.call("GET", f"/api/v1/tasks/{number}", role="read")[1]

    def ended(self, number):
        until(lambda: self.task(number)["state"] in ("succeeded", "failed", "cancelled"), f"the end of task {number}")
        return self.task(number)

    def output(self, number):
        status, log = self.service.call("GET", f"/api/v1/tasks/{number}/log", role="read")
        assert status == 200, log
        return log["text"]


def check(is_true, what):
    if not is_true:
        raise AssertionError(what)


def each_gpu_has_its_worker(setting):
    numbers = {setting.submit("classify", i): i for i in range(12)}
    for task, number in numbers.items():
        ended = setting.ended(task)
        check(ended["state"] == "succeeded", ended)
        check(json.loads(setting.output(task))["outputs"][0]["data"] == [number], setting.output(task))
    asked = [worker.asked for worker in setting.workers]
    check(all(asked) and sum(map(len, asked)) == len(numbers), asked)
    check({path for path, _ in asked[0] + asked[1]} == {"/v2/models/resnet.50/versions/3/infer"}, asked)


def a_gpu_without_a_worker_gets_none(setting):
    before = len(setting.workers[0].asked)
    tasks = [setting.submit("one_worker") for _ in range(6)]
    check(all(setting.ended(task)["state"] == "succeeded" for task in tasks), tasks)
    check(len(setting.workers[0].asked) == before, "the worker of gpu_0 was asked")


def a_wrong_request_is_not_sent_again(setting):
    setting.workers[1].answers = [(400, {"error": "unexpected shape for input x"})]
    ended = setting.ended(setting.submit("one_worker"))
    check(ended["state"] == "failed" and len(ended["attempts"]) == 1, ended)
    check("responded with 400: unexpected shape for input x" in json.dumps(ended), ended)


def a_busy_worker_is_asked_again(setting):
    setting.workers[1].answers = [(503, {"error": "loading"}), (429, {"error": "too many"})]
    ended = setting.ended(setting.submit("one_worker"))
    check(ended["state"] == "succeeded" and len(ended["attempts"]) == 3, ended)
    check([attempt["cause"] for attempt in ended["attempts"]] == ["worker", "worker", "exit"], ended)


def a_worker_that_is_not_there(setting):
    ended = setting.ended(setting.submit("nobody_there"))
    check(ended["state"] == "failed" and ended["cause"] == "worker" and len(ended["attempts"]) == 3, ended)
    check("Connection refused" in json.dumps(ended), ended)


def a_hanging_worker_meets_the_time_limit(setting):
    setting.workers[1].answers = [("hold", None)]
    ended = setting.ended(setting.submit("one_worker", time_limit_seconds=0.2))
    check(ended["state"] == "failed" and ended["cause"] == "time_limit", ended)


def a_request_is_cancelled(setting):
    asked = len(setting.workers[1].asked)
    setting.workers[1].answers = [("hold", None)]
    task = setting.submit("one_worker")
    until(lambda: len(setting.workers[1].asked) > asked, "the request")
    status, answer = setting.service.call("POST", f"/api/v1/tasks/{task}/cancel", role="submit")
    check(status == 200, answer)
    check(setting.ended(task)["state"] == "cancelled", setting.task(task))


def a_full_gpu_is_told(setting):
    text = {"error": "CUDA out of memory. Tried to allocate 20.00 GiB"}
    setting.workers[1].answers = [(500, text)] * 3
    ended = setting.ended(setting.submit("one_worker"))
    check(ended["state"] == "failed" and ended["cause"] == "out_of_memory", ended)


if __name__ == "__main__":
    with Setting() as shared:
        names = [each_gpu_has_its_worker, a_gpu_without_a_worker_gets_none, a_wrong_request_is_not_sent_again,
                 a_busy_worker_is_asked_again, a_worker_that_is_not_there, a_hanging_worker_meets_the_time_limit,
                 a_request_is_cancelled, a_full_gpu_is_told]  # fmt: skip

        def bound(test):
            run = lambda: test(shared)
            run.__name__ = test.__name__
            return run

        sys.exit(run_all([bound(test) for test in names]))
