"""Starts `sonde serve` on loopback for tests, and talks to it."""

import http.client
import json
import os
import signal
import socket
import ssl
import subprocess
import tempfile
import time
from pathlib import Path

SONDE = os.environ["SONDE"]
ROOT = Path(__file__).resolve().parents[3]
SIMULATED = ROOT / "examples/simulated_host.yaml"
STAND_IN = Path(SONDE).parent / "tests/fake_nvml/libnvidia-ml.so.1"
PATIENCE_S = 60


def until(condition, what):
    """The first true value of `condition`, asked again and again."""
    end = time.monotonic() + PATIENCE_S
    while time.monotonic() < end:
        if value := condition():
            return value
        time.sleep(0.02)
    raise AssertionError(f"{what} has not come within {PATIENCE_S} s")


class Service:
    """A service in a folder of its own; `config` is YAML below sonde.server, `other` whole lines of the file."""

    def __init__(self, config="", other="", options=("--simulated", str(SIMULATED)), environment=None):
        self.folder = tempfile.TemporaryDirectory()
        self.path = Path(self.folder.name)
        self.config = self.path / "config.yaml"
        self.port_file = self.path / "port"
        self.log = self.path / "log"
        self.write(config, other)
        self.environment = os.environ | (environment or {})
        self.keys = {role: self.add_key(role) for role in ("read", "submit", "admin")}
        self.options = options
        self.tls = None
        self.start()

    def start(self):
        """Starts the program, also again after stop(): it listens once this returns."""
        self.launch()
        self.until_it_listens()

    def launch(self):
        self.port_file.unlink(missing_ok=True)
        with self.log.open("a") as log:
            self.process = subprocess.Popen([SONDE, "serve", "--config", str(self.config), *self.options], stdout=log,
                                            stderr=log, env=self.environment)

    def until_it_listens(self):
        until(lambda: self.port_file.exists() or self.process.poll() is not None, "the port file")
        if self.process.poll() is not None:
            raise AssertionError(f"the service ended with {self.process.returncode}: {self.text()}")
        self.port = int(self.port_file.read_text().rsplit(":", 1)[1])

    def write(self, config="", other=""):
        server = "".join(f"    {line}\n" for line in config.splitlines())
        self.config.write_text(
            f"sonde:\n  server:\n    port: 0\n    port_file: {self.port_file}\n{server}"
            f"  history:\n    path: {self.path / 'state'}\n{other}")  # fmt: skip

    def add_key(self, name, role=None):
        made = subprocess.run([SONDE, "keys", "add", name, "--role", role or name, "--config", str(self.config)],
                              capture_output=True, text=True, check=True)  # fmt: skip
        return made.stdout.strip()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        self.folder.cleanup()

    def text(self):
        return self.log.read_text()

    def connect(self):
        if self.tls:
            return http.client.HTTPSConnection("127.0.0.1", self.port, timeout=PATIENCE_S, context=self.tls)
        return http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE_S)

    def call(self, method, path, body=None, role=None, headers=None, connection=None):
        """Status and body, from JSON where it is that."""
        connection = connection or self.connect()
        headers = dict(headers or {})
        if role:
            headers["Authorization"] = f"Bearer {self.keys[role]}"
        if isinstance(body, (dict, list)):
            body = json.dumps(body)
            headers.setdefault("Content-Type", "application/json")
        connection.request(method, path, body, headers)
        response = connection.getresponse()
        text = response.read().decode()
        self.headers = {name.lower(): value for name, value in response.getheaders()}
        return response.status, json.loads(text) if "json" in self.headers.get("content-type", "") and text else text

    def raw(self):
        return socket.create_connection(("127.0.0.1", self.port), timeout=PATIENCE_S)

    def status_of(self, sent):
        """The status that some bytes get; 0 where the connection is closed without one."""
        with self.raw() as connection:
            try:
                connection.sendall(sent)
            except OSError:
                pass  # an answer may stand there all the same
            return status_from(connection)

    def rss_mb(self):
        for line in Path(f"/proc/{self.process.pid}/status").read_text().splitlines():
            if line.startswith("VmRSS:"):
                return int(line.split()[1]) / 1024
        raise AssertionError("the service has no VmRSS")

    def stop(self, how=signal.SIGTERM):
        self.process.send_signal(how)
        return self.process.wait(timeout=PATIENCE_S)


def status_from(connection):
    text = b""
    try:
        while b"\r\n" not in text:
            part = connection.recv(4096)
            if not part:
                return 0
            text += part
    except ConnectionError:
        return 0
    return int(text.split()[1])


def trusting(certificate):
    """A context that trusts one certificate, whatever the host's name."""
    context = ssl.create_default_context(cafile=str(certificate))
    context.check_hostname = False
    return context


def make_certificate(folder, name="localhost"):
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2",
         "-subj", f"/CN={name}", "-keyout", str(folder / "key.pem"), "-out", str(folder / "certificate.pem")],
        check=True, capture_output=True)  # fmt: skip


def run_all(tests):
    """Runs functions by name; the exit status."""
    failed = 0
    for test in tests:
        try:
            test()
            print(f"ok   {test.__name__}")
        except AssertionError as error:
            failed += 1
            print(f"FAIL {test.__name__}: {error}")
    return 1 if failed else 0
