#!/usr/bin/env python3
"""A GPU overheats and another one is lost. A real Prometheus scrapes `sonde serve` and fires the rules of
deploy/prometheus. A real Alertmanager gets these alerts and Sonde's own, and forwards them. Then the faults are fixed,
and it forwards that both are resolved. The stand-in for NVML raises the faults. The rules are a copy whose `for` is one
second.

Everything listens on loopback at free ports, has its data in a temporary folder and is stopped again.
"""

import contextlib
import http.server
import json
import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.parse
import urllib.request
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
SONDE = os.environ["SONDE"]
STAND_IN = Path(SONDE).parent / "tests/fake_nvml/libnvidia-ml.so.1"
PROGRAMS = {"prometheus": ["prometheus"], "alertmanager": ["prometheus-alertmanager", "alertmanager"], "promtool": ["promtool"]}
PATIENCE_S = 240  # an incident of heat is open for 1.5 minutes after it was last seen

# power as that of a GPU which is used as much: values that contradict each other are another test's matter
WELL = "gpus = 2\ngpu.0.power_mw = 300000\ngpu.1.power_mw = 300000\n"
HOT = WELL + "gpu.0.temperature = 93\n"
LOST = HOT + "event.1 = 1 8 79\ngpu.1.fail.* = 15\n"

SONDE_CONFIG = """
gpu:
  max_temperature: 85
  health_check_interval: 1
  monitoring: {{interval: 1}}
sonde:
  server: {{port: 0, port_file: {folder}/port, keys_file: {folder}/keys.json}}
  history: {{path: {folder}/state}}
  alerts: {{alertmanagers: ["{alertmanager}"], resend_interval: 5}}
"""
ALERTMANAGER_CONFIG = """
route: {{receiver: test, group_by: [...], group_wait: 1s, group_interval: 1s, repeat_interval: 1h}}
receivers:
  - name: test
    webhook_configs: [{{url: "{receiver}", send_resolved: true}}]
"""
PROMETHEUS_CONFIG = """
global: {{scrape_interval: 1s, evaluation_interval: 1s}}
rule_files: [{folder}/rules.yaml]
alerting: {{alertmanagers: [{{static_configs: [{{targets: ["{alertmanager}"]}}]}}]}}
scrape_configs: [{{job_name: sonde, static_configs: [{{targets: ["{sonde}"]}}]}}]
"""


def free_address():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return f"127.0.0.1:{listener.getsockname()[1]}"


def get(url):
    with urllib.request.urlopen(url, timeout=10) as answer:
        return answer.read().decode("utf-8")


def until(what, ask):
    """What ask() gives, once that is something; whatever is not there yet is asked again."""
    end = time.monotonic() + PATIENCE_S
    last = None
    while time.monotonic() < end:
        try:
            found = ask()
            if found:
                print(f"  {what}", flush=True)
                return found
        except (OSError, ValueError, KeyError) as error:
            last = error
        time.sleep(0.2)
    raise TimeoutError(f"{what}: not within {PATIENCE_S} s{f' ({last})' if last else ''}")


class Receiver:
    """What Alertmanager passes on: (status, labels) of each alert."""

    def __init__(self):
        self.told = []
        told = self.told

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                told.extend((alert["status"], alert["labels"]) for alert in body["alerts"])
                self.send_response(200)
                self.end_headers()

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}/"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def heard(self, status, **labels):
        return [told for s, told in list(self.told) if s == status and matches(told, labels)]


def matches(labels, wanted):
    """None: there is no such label."""
    return all(labels.get(name) == value for name, value in wanted.items())


class Process:
    """A program that is ended with the test, and what it wrote."""

    def __init__(self, folder, name, *command, **environment):
        self.log = Path(folder) / f"{name}.log"
        with open(self.log, "wb") as log:
            self.process = subprocess.Popen(list(map(str, command)), cwd=folder, stdout=log, stderr=log, env=os.environ | environment)

    def __enter__(self):
        return self

    def __exit__(self, kind, error, trace):
        self.process.terminate()
        try:
            self.process.wait(30)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        if kind is not None:
            print(f"--- {self.log.name}\n{self.log.read_text(errors='replace')[-3000:]}")


class Scene:
    """Sonde, Prometheus, Alertmanager and whom that tells."""

    def __init__(self, folder, stack):
        self.folder = Path(folder)
        self.script = self.folder / "nvml.txt"
        self.receiver = Receiver()
        self.alertmanager, self.prometheus = free_address(), free_address()
        self.set_gpus(WELL)
        self.start_alertmanager(stack)
        self.start_sonde(stack)
        self.start_prometheus(stack)

    def set_gpus(self, text):
        """Whole or not at all: the stand-in reads it whenever it changes."""
        part = self.folder / "nvml.part"
        part.write_text(text, encoding="utf-8")
        part.rename(self.script)

    def write(self, name, text, **values):
        path = self.folder / name
        path.write_text(text.format(folder=self.folder, **values), encoding="utf-8")
        return path

    def start_alertmanager(self, stack):
        config = self.write("alertmanager.yml", ALERTMANAGER_CONFIG, receiver=self.receiver.url)
        stack.enter_context(Process(
            self.folder, "alertmanager", program("alertmanager"), f"--config.file={config}",
            f"--storage.path={self.folder}/alertmanager", f"--web.listen-address={self.alertmanager}", "--cluster.listen-address=",
        ))  # fmt: skip
        until("Alertmanager is ready", lambda: get(f"http://{self.alertmanager}/-/ready"))

    def start_sonde(self, stack):
        config = self.write("config.yaml", SONDE_CONFIG, alertmanager=f"http://{self.alertmanager}")
        self.service = stack.enter_context(Process(
            self.folder, "sonde", SONDE, "serve", "--config", config, SONDE_NVML=str(STAND_IN), SONDE_FAKE_NVML=str(self.script),
        ))  # fmt: skip
        self.sonde = until("Sonde listens", lambda: (self.folder / "port").read_text().strip())

    def start_prometheus(self, stack):
        rules = (ROOT / "deploy/prometheus/sonde_rules.yaml").read_text(encoding="utf-8")
        (self.folder / "rules.yaml").write_text(re.sub(r"for: \w+", "for: 1s", rules), encoding="utf-8")
        config = self.write("prometheus.yml", PROMETHEUS_CONFIG, alertmanager=self.alertmanager, sonde=self.sonde)
        stack.enter_context(Process(
            self.folder, "prometheus", program("prometheus"), f"--config.file={config}",
            f"--storage.tsdb.path={self.folder}/prometheus", f"--web.listen-address={self.prometheus}",
        ))  # fmt: skip
        until("Prometheus is ready", lambda: get(f"http://{self.prometheus}/-/ready"))

    def samples(self, query):
        text = get(f"http://{self.prometheus}/api/v1/query?query={urllib.parse.quote(query)}")
        return json.loads(text)["data"]["result"]

    def firing(self, alertname):
        """Labels of the alerts that fire in Prometheus."""
        alerts = json.loads(get(f"http://{self.prometheus}/api/v1/alerts"))["data"]["alerts"]
        return [a["labels"] for a in alerts if a["state"] == "firing" and a["labels"]["alertname"] == alertname]

    def clear(self, detector, uuid):
        """As an admin does who has mended a GPU."""
        key = subprocess.run(
            [SONDE, "keys", "add", "mender", "--role", "admin", "--keys", str(self.folder / "keys.json")],
            capture_output=True, text=True, check=True,
        ).stdout.strip()  # fmt: skip
        header = {"Authorization": f"Bearer {key}"}

        def call(path, data=None):
            request = urllib.request.Request(f"http://{self.sonde}/api/v1{path}", data=data, headers=header)
            with urllib.request.urlopen(request, timeout=30) as answer:
                return json.load(answer)

        def open_ones():
            found = call(f"/incidents?state=open&gpu={uuid}")["incidents"]
            return [incident["id"] for incident in found if incident["detector"] == detector]

        for incident in until(f"the open incident of {detector}", open_ones):
            call(f"/incidents/{incident}/clear", b"{}")

    def held(self, **labels):
        """Active alerts in Alertmanager with these labels."""
        alerts = json.loads(get(f"http://{self.alertmanager}/api/v2/alerts?active=true"))
        return [a["labels"] for a in alerts if matches(a["labels"], labels)]


def program(name):
    return next((path for path in map(shutil.which, PROGRAMS[name]) if path), None)


def check_scrape(scene, uuids):
    """promtool has nothing to say of a live scrape, and it has both GPUs."""
    text = get(f"http://{scene.sonde}/metrics")
    run = subprocess.run([program("promtool"), "check", "metrics"], input=text, capture_output=True, text=True, check=False)
    if run.returncode or run.stdout or run.stderr:
        raise AssertionError(f"promtool check metrics ended with {run.returncode}: {run.stdout}{run.stderr}")
    for uuid in uuids:
        if f'sonde_gpu_up{{uuid="{uuid}"}}' not in text:
            raise AssertionError(f"the scrape does not have {uuid}")
    print("  promtool check metrics has nothing to say of the live scrape", flush=True)


def values_of_lost(scene, uuid):
    """Of a GPU that is lost, no value is repeated as if it held."""
    text = get(f"http://{scene.sonde}/metrics")
    if f'sonde_gpu_up{{uuid="{uuid}"}} 0' not in text:
        raise AssertionError("a lost GPU is not told as one")
    if f'sonde_gpu_temperature_celsius{{uuid="{uuid}"}}' in text:
        raise AssertionError("the temperature of a lost GPU is told as if it held")


def run(scene):
    rows = until("Prometheus scraped both GPUs", lambda: len(r := scene.samples("sonde_gpu_info")) == 2 and r)
    uuids = {row["metric"]["index"]: row["metric"]["uuid"] for row in rows}
    check_scrape(scene, uuids.values())
    if scene.firing("SondeGpuVeryHot") or scene.firing("SondeGpuLost"):
        raise AssertionError("an alert fires though all is well")

    # Those of Prometheus have a job, those that Sonde sends say which host they are from.
    hot = {"alertname": "SondeGpuVeryHot", "uuid": uuids["0"], "job": "sonde"}
    hot_own = {"detector": "gpu_hot", "uuid": uuids["0"], "job": None}
    lost = {"alertname": "SondeGpuLost", "uuid": uuids["1"], "job": "sonde"}
    lost_own = {"detector": "xid", "uuid": uuids["1"], "job": None}

    scene.set_gpus(HOT)
    until("93 C: SondeGpuVeryHot fires in Prometheus", lambda: scene.firing("SondeGpuVeryHot"))
    until("Alertmanager has that alert", lambda: scene.held(**hot))
    until("Alertmanager has the one that Sonde sent", lambda: scene.held(**hot_own))
    scene.set_gpus(LOST)
    until("lost: SondeGpuLost fires in Prometheus", lambda: scene.firing("SondeGpuLost"))
    until("XID 79: SondeGpuXidRebootHost fires by its moment", lambda: scene.firing("SondeGpuXidRebootHost"))
    until("Alertmanager has that GPU's alert", lambda: scene.held(**lost))
    until("Alertmanager has the one that Sonde sent", lambda: scene.held(**lost_own))
    values_of_lost(scene, uuids["1"])
    check_scrape(scene, uuids.values())
    for alert in (hot, hot_own, lost, lost_own):
        until(f"passed on as firing: {alert}", lambda alert=alert: scene.receiver.heard("firing", **alert))

    scene.set_gpus(WELL)
    scene.clear("xid", uuids["1"])  # a GPU that fell off the bus is not well until a person or a new driver says so
    for alert in (hot, hot_own, lost, lost_own):
        until(f"passed on as resolved: {alert}", lambda alert=alert: scene.receiver.heard("resolved", **alert))
        until("Alertmanager no longer has it", lambda alert=alert: not scene.held(**alert))
    if scene.firing("SondeGpuVeryHot") or scene.firing("SondeGpuLost"):
        raise AssertionError("an alert fires though all is well again")


def main():
    missing = [names[0] for name, names in PROGRAMS.items() if program(name) is None]
    if missing:
        print(f"missing: {', '.join(missing)} (packages prometheus and prometheus-alertmanager)")
        return 77
    with tempfile.TemporaryDirectory() as folder, contextlib.ExitStack() as stack:
        try:
            run(Scene(folder, stack))
        except (TimeoutError, AssertionError) as error:
            print(error)
            stack.__exit__(type(error), error, None)
            return 1
    print("alerts fire, reach Alertmanager both ways, and are resolved")
    return 0


if __name__ == "__main__":
    sys.exit(main())
