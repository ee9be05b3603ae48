#!/usr/bin/env python3
"""The calls that change the configuration of a running service: they hold at once, until the restart or beyond it; SIGHUP
reads the file again, keys that need a restart wait, and a file with mistakes changes nothing."""

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
SONDE = os.environ["SONDE"]
PATIENCE_S = 60
STRATEGY = "gpu.multi_gpu.default_strategy"
TASKS = "gpu.multi_gpu.max_concurrent_tasks_per_gpu"
CONFIG = """\
gpu:
  multi_gpu: {{max_concurrent_tasks_per_gpu: 6}}
  monitoring: {{interval: 3600}}
  max_temperature: {temperature}
sonde:
  server: {{port: 0, port_file: port, burst: 100000, max_connections: {connections}}}
  devices: {{source: simulated, simulated: "{gpus}"}}
  history: {{path: state}}
"""


def wait_for(what, condition):
    end = time.monotonic() + PATIENCE_S
    while not (found := condition()):
        assert time.monotonic() < end, f"{what}: not within {PATIENCE_S} s"
        time.sleep(0.05)
    return found


class Service:
    def __init__(self, folder):
        self.port = folder / "port"
        self.port.unlink(missing_ok=True)
        with (folder / "log").open("ab") as log:
            self.process = subprocess.Popen(
                [SONDE, "serve", "--config", str(folder / "config.yaml")], cwd=folder, stdout=log, stderr=log
            )
        self.key = ""
        self.address = wait_for("the service listens", self._address)

    def _address(self):
        assert self.process.poll() is None, "the service ended"
        return self.port.read_text().strip() if self.port.exists() else ""

    def call(self, path, body=None):
        """Status and body of the answer."""
        request = urllib.request.Request(f"http://{self.address}{path}", headers={"Authorization": f"Bearer {self.key}"})
        if body is not None:
            request.data = json.dumps(body).encode()
            request.add_header("Content-Type", "application/json")
        try:
            with urllib.request.urlopen(request, timeout=PATIENCE_S) as answer:
                return answer.status, json.load(answer)
        except urllib.error.HTTPError as error:
            return error.code, json.load(error)

    def keys(self):
        return {key["key"]: key for key in self.call("/api/v1/config")[1]["keys"]}

    def value(self, key):
        state = self.keys()[key]
        return state["value"], state["origin"]

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        assert self.process.wait(PATIENCE_S) == 0, "the service does not end well"


def write_config(folder, temperature=85, connections=1000, more=""):
    gpus = ROOT / "examples/simulated_host.yaml"
    text = CONFIG.format(temperature=temperature, connections=connections, gpus=gpus)
    (folder / "config.yaml").write_text(text + more, encoding="utf-8")


def new_key(folder, role):
    done = subprocess.run(
        [SONDE, "keys", "add", f"test-{role}", "--role", role, "--config", str(folder / "config.yaml")],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    return done.stdout.split()[-1]


def check(what, found, expected):
    assert found == expected, f"{what}: {found}, not {expected}"


def check_calls(service):
    check("at first", service.value(STRATEGY), ("least_loaded", "default"))
    check("of the file", service.value(TASKS), (6, "file"))
    status, answer = service.call("/api/v1/config/gpu/strategy", {"strategy": "round_robin"})
    check("strategy", (status, answer["value"], answer["before"]), (200, "round_robin", "least_loaded"))
    check("strategy in force", service.value(STRATEGY), ("round_robin", "run_time"))
    status, answer = service.call("/api/v1/config/gpu/strategy", {"strategy": "fastest"})
    check("unknown strategy", status, 400)
    for known in ("round_robin", "least_loaded", "memory_optimized", "task_specific", "random"):
        assert known in answer["detail"], f"{known} is not listed: {answer}"
    status, _ = service.call("/api/v1/config/gpu/max_concurrent_tasks", {"max_concurrent_tasks": 12})
    check("tasks", (status, service.value(TASKS)), (200, (12, "run_time")))
    status, _ = service.call("/api/v1/config/gpu/max_concurrent_tasks", {"max_concurrent_tasks": 0})
    check("no tasks", (status, service.value(TASKS)), (400, (12, "run_time")))


def check_reload(service, folder):
    write_config(folder, temperature=70, connections=500)
    service.process.send_signal(signal.SIGHUP)
    wait_for("SIGHUP reads the file", lambda: service.value("gpu.max_temperature") == (70, "file"))
    waiting = service.keys()["sonde.server.max_connections"]
    check("what needs a restart", (waiting["value"], waiting["waits_for_restart"]), (1000, True))
    check("a change outlives a reload", service.value(STRATEGY), ("round_robin", "run_time"))
    write_config(folder, temperature=60, more="  cost: {per_kwh: cheap}\n")
    status, answer = service.call("/api/v1/config/reload", {})
    assert 400 <= status < 500 and "sonde.cost.per_kwh: 'cheap' is not a number" in answer["detail"], answer
    check("a file with mistakes", service.value("gpu.max_temperature"), (70, "file"))
    write_config(folder, temperature=60, connections=500)


def run(folder):
    write_config(folder)
    admin, reader = new_key(folder, "admin"), new_key(folder, "read")
    service = Service(folder)
    try:
        service.key = reader
        check("a reader", service.call("/api/v1/config/gpu/strategy", {"strategy": "random"})[0], 403)
        service.key = admin
        check_calls(service)
        check_reload(service, folder)
        body = {"max_concurrent_tasks": 9, "persist": True}
        check("persist", service.call("/api/v1/config/gpu/max_concurrent_tasks", body)[0], 200)
        service.stop()
        service = Service(folder)
        service.key = admin
        check("after the restart", service.value(STRATEGY), ("least_loaded", "default"))
        check("persisted", service.value(TASKS), (9, "persisted"))
        check("what waited", service.value("sonde.server.max_connections"), (500, "file"))
        service.stop()
    finally:
        service.process.kill()


def main():
    if subprocess.run([SONDE, "serve", "--help"], capture_output=True, check=False).returncode != 0:
        print("this program has no 'serve'")
        return 77
    with tempfile.TemporaryDirectory() as folder:
        try:
            run(Path(folder))
        except AssertionError as failure:
            print(f"{failure}\n{(Path(folder) / 'log').read_text() if (Path(folder) / 'log').exists() else ''}")
            return 1
    print("changes of the configuration hold at once, survive what they should, and need the role admin")
    return 0


if __name__ == "__main__":
    sys.exit(main())
