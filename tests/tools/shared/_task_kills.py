"""Kills `sonde serve` with SIGKILL at random times while tasks are submitted and run. Each task appends a line to a
file when it finishes. These lines, and not the service, decide how often it ran."""

import http.client
import json
import random
import tempfile
import threading
import time
from collections import Counter
from contextlib import contextmanager
from pathlib import Path

from _serve import PATIENCE_S, Service, until

SUBMITTERS = 3
LONGEST_TASK_S = 0.15
LONGEST_LIFE_S = 0.4  # of the service between its start and its end
CONFIG = """  tasks:
    types:
      mark:
        command: [/bin/sh, -c, 'sleep "$1"; echo "$2" >> "$3"', mark]
        allow_arguments: true
        memory_bytes: 1GiB
        simulated_utilization: 1
gpu:
  multi_gpu:
    max_queue_size: 100000
"""
HOST = "version: 1\ngpus:\n  - {name: Simulated GPU, count: 2, memory: 80 GiB}\n"


class Submitter(threading.Thread):
    """Submits until it is told to stop. A submission that got no answer is sent again with the same Idempotency-Key."""

    def __init__(self, service, marks, name, seed):
        super().__init__()
        self.service, self.marks, self.prefix = service, marks, name
        self.random = random.Random(seed)
        self.stopping = threading.Event()
        self.accepted = {}
        self.troubles = []

    def run(self):
        number = 0
        while not self.stopping.is_set():
            token = f"{self.prefix}-{number}"
            number += 1
            task = self.submitted(token)
            if task is None:
                return
            self.accepted[token] = task

    def submitted(self, token):
        """The id of the task once somebody confirmed it; None where that was refused."""
        body = {"type": "mark", "arguments": [f"{self.random.uniform(0, LONGEST_TASK_S):.3f}", token, str(self.marks)]}
        end = time.monotonic() + PATIENCE_S
        while time.monotonic() < end:
            try:
                connection = http.client.HTTPConnection("127.0.0.1", self.service.port, timeout=PATIENCE_S)
                connection.request("POST", "/api/v1/tasks", json.dumps(body), {
                    "Authorization": f"Bearer {self.service.keys['submit']}", "Content-Type": "application/json",
                    "Idempotency-Key": token})  # fmt: skip
                response = connection.getresponse()
                text = response.read()
            except (OSError, http.client.HTTPException):
                time.sleep(0.005)  # between two lives of the service
                continue
            if response.status in (200, 201):
                return json.loads(text)["id"]
            if response.status == 429:
                time.sleep(0.05)
            elif response.status != 503:  # it is about to end, or has just begun
                self.troubles.append(f"{token}: {response.status} {text[:300]!r}")
                return None
        self.troubles.append(f"{token}: no answer within {PATIENCE_S} s")
        return None


def all_tasks(service):
    before = ""
    while True:
        status, page = service.call("GET", f"/api/v1/tasks?limit=500{before}", role="read")
        assert status == 200, page
        yield from page["tasks"]
        if page["next_before"] is None:
            return
        before = f"&before={page['next_before']}"


def wait_for_all(service):
    """Until nothing waits or runs, for as long as tasks end."""
    left = None
    while left is None or left["length"] or left["running"]:
        before = left and (left["length"], [task["id"] for task in left["running"]])

        def moves(before=before):
            queue = service.call("GET", "/api/v1/queue?limit=1", role="read")[1]
            return (queue["length"], [task["id"] for task in queue["running"]]) != before and queue

        try:
            left = until(moves, "an end")
        except AssertionError as error:
            raise AssertionError(f"{error}: {left}") from None


def complaints(accepted, tasks, marks):
    """What does not hold: `accepted` is token -> id, `marks` is how often each token was written."""
    by_id = {task["id"]: task for task in tasks}
    for token, task in accepted.items():
        if task not in by_id:
            yield f"task {task} ({token}) was accepted and is lost"
        elif by_id[task]["state"] != "succeeded":
            yield f"task {task} ({token}) ended as {by_id[task]['state']}: {by_id[task]['reason']}"
        if marks[token] != 1:
            yield f"task {task} ({token}) ran {marks[token]} times"
    if len(set(accepted.values())) != len(accepted):
        yield "two submissions got the same task"
    for token, times in marks.items():
        if times > 1 and token not in accepted:
            yield f"{token} ran {times} times"


@contextmanager
def submitting(service, marks, seed):
    """Submitters, for as long as the service is hurt."""
    submitters = [Submitter(service, marks, f"{seed}-{i}", seed + i) for i in range(SUBMITTERS)]
    for submitter in submitters:
        submitter.start()
    try:
        yield submitters
    finally:
        for submitter in submitters:
            submitter.stopping.set()
        for submitter in submitters:
            submitter.join()


def check(submitters, least, complaints):
    """What was accepted; `complaints` of that, and what submitters saw, is an AssertionError."""
    accepted = {token: task for submitter in submitters for token, task in submitter.accepted.items()}
    troubles = [text for submitter in submitters for text in submitter.troubles]
    troubles += complaints(accepted)
    assert not troubles, "\n".join(troubles[:20])
    assert len(accepted) >= least, f"only {len(accepted)} tasks were accepted"
    return accepted


def run(kills, seed):
    """The number of tasks that were accepted; an AssertionError with all that does not hold."""
    moments = random.Random(seed)
    with tempfile.TemporaryDirectory() as folder:
        marks, host = Path(folder) / "marks", Path(folder) / "host.yaml"
        host.write_text(HOST)
        fast = "requests_per_second: 1000000\nburst: 1000000"
        with Service(fast, CONFIG, ("--simulated", str(host))) as service:
            with submitting(service, marks, seed) as submitters:
                for _ in range(kills):
                    time.sleep(moments.uniform(0, LONGEST_LIFE_S))
                    service.process.kill()
                    service.process.wait()
                    service.start()
            wait_for_all(service)
            tasks = list(all_tasks(service))
            assert service.stop() == 0, service.text()
        times = Counter(marks.read_text().split())
        return len(check(submitters, kills, lambda accepted: complaints(accepted, tasks, times)))
