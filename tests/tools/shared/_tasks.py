"""Runs a service with tasks on two simulated GPUs for tests: sends requests and waits for results."""

import os
import signal
from pathlib import Path

from _serve import Service, until

HOST = """version: 1
gpus:
  - {name: Simulated A, memory: 80 GiB, compute_capability: 9.0}
  - {name: Simulated B, memory: 40 GiB, compute_capability: 8.0}
"""
ANY_COMMAND = "  tasks:\n    allow_undeclared_commands: true\n"
LIMITS = "requests_per_second: 100000\nburst: 100000"


def with_gpu(gpu, tasks):
    return f"{tasks}gpu:\n  monitoring:\n    interval: 1\n{gpu}"


def same(found, wanted):
    if found != wanted:
        raise AssertionError(f"{found!r} where {wanted!r} was wanted")


class Tasks(Service):
    """A service that may run anything; `gpu` is YAML of the section gpu, `whole` all but the section server. Ends what is
    left of its tasks."""

    def __init__(self, gpu="", tasks=ANY_COMMAND, environment=None, host=HOST, whole=""):
        self.host = Path(os.environ.get("TMPDIR", "/tmp")) / f"sonde_tasks_{os.getpid()}.yaml"
        self.host.write_text(host)
        super().__init__(LIMITS, whole or with_gpu(gpu, tasks), ("--simulated", str(self.host)), environment)

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

    def configure(self, gpu="", tasks=ANY_COMMAND):
        self.write(LIMITS, with_gpu(gpu, tasks))

    def change(self, *configuration):
        """Another file, read again."""
        self.configure(*configuration)
        same(self.call("POST", "/api/v1/config/reload", role="admin")[0], 200)

    def submit(self, *command, status=201, headers=None, **other):
        words = {"command": list(command)} if command else {}
        got, body = self.call("POST", "/api/v1/tasks", words | other, "submit", headers)
        if got != status:
            raise AssertionError(f"{got} where {status} was wanted: {body}")
        return body if status >= 400 else body["id"]

    def task(self, number):
        status, body = self.call("GET", f"/api/v1/tasks/{number}", role="read")
        same(status, 200)
        return body

    def until_state(self, number, *states):
        return until(lambda: (t := self.task(number))["state"] in states and t, f"task {number} {states}")

    def explain(self, number):
        return self.call("GET", f"/api/v1/tasks/{number}/explain", role="read")[1]

    def decision(self, number):
        """The first one; a moment after it was made it is saved."""
        return until(lambda: self.explain(number)["decisions"], f"the decision for task {number}")[0]

    def output(self, number):
        return self.call("GET", f"/api/v1/tasks/{number}/log", role="read")[1]["text"]

    def snapshot(self):
        return self.call("GET", "/api/v1/queue", role="read")[1]
