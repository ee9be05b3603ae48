#!/usr/bin/env python3
"""Tests `sonde serve` as its users run it: start, requests, reload, TLS, errors at the start, end."""

import http.client
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "shared"))
from _serve import SIMULATED, SONDE, STAND_IN, Service, make_certificate, trusting, until

EVERY_SECOND = "gpu:\n  monitoring:\n    interval: 0.2\n"


def check(is_true, what):
    if not is_true:
        raise AssertionError(what)


def same(found, wanted):
    check(found == wanted, f"{found!r} instead of {wanted!r}")


def run(*words, **options):
    return subprocess.run([SONDE, "serve", *words], capture_output=True, text=True, timeout=60, check=False, **options)


def serves_simulated_gpus():
    with Service(other=EVERY_SECOND) as service:
        gpus = until(lambda: service.call("GET", "/api/v1/gpus", role="read")[1]["gpus"], "a GPU")
        same([gpu["id"] for gpu in gpus], ["gpu_0", "gpu_1"])
        check(all(gpu["simulated"] for gpu in gpus), "a simulated GPU does not say so")
        status, metrics = service.call("GET", "/metrics")
        same(status, 200)
        check("sonde_gpu_info{" in metrics, "the metrics lack sonde_gpu_info")
        status, page = service.call("GET", "/")
        same((status, service.headers["content-type"]), (200, "text/html; charset=utf-8"))
        check("script-src 'self'" in service.headers["content-security-policy"], "the page's policy lets in scripts")
        etag = service.headers["etag"]
        same(service.call("GET", "/", headers={"If-None-Match": etag})[0], 304)
        same(service.call("HEAD", "/")[1], "")
        same(service.call("GET", "/api/v1/health")[0], 200)
        same(service.stop(), 0)
        check(not service.port_file.exists(), "the port file is still there")


def serves_the_stand_in():
    with tempfile.TemporaryDirectory() as folder:
        script = Path(folder) / "nvml.txt"
        script.write_text("gpus = 2\n")
        environment = {"SONDE_NVML": str(STAND_IN), "SONDE_FAKE_NVML": str(script)}
        with Service(other=EVERY_SECOND, options=(), environment=environment) as service:
            gpus = until(lambda: service.call("GET", "/api/v1/gpus", role="read")[1]["gpus"], "a GPU")
            same([gpu["simulated"] for gpu in gpus], [False, False])
            same(service.stop(), 0)


def starts_without_gpus():
    environment = {"SONDE_NVML": "/no/such/libnvidia-ml.so.1"}
    with Service(other=EVERY_SECOND, options=(), environment=environment) as service:
        body = until(lambda: (b := service.call("GET", "/api/v1/gpus", role="read")[1])["source_trouble"] and b, "trouble")
        same(body["gpus"], [])
        check("/no/such/libnvidia-ml.so.1" in body["source_trouble"], body["source_trouble"])
        same(service.stop(), 0)


def calls_in_use_take_effect():
    with Service() as service:
        strategy = service.call("POST", "/api/v1/config/gpu/strategy", {"strategy": "round_robin"}, "admin")
        same(strategy[0], 200)
        tasks = service.call("POST", "/api/v1/config/gpu/max_concurrent_tasks", {"max_concurrent_tasks": 12}, "admin")
        same(tasks[0], 200)
        config = service.call("GET", "/api/v1/config", role="read")[1]["config"]["gpu"]["multi_gpu"]
        same((config["default_strategy"], config["max_concurrent_tasks_per_gpu"]), ("round_robin", 12))
        same(service.call("POST", "/api/v1/config/gpu/strategy", {"strategy": "fastest"}, "admin")[0], 400)
        same(service.call("POST", "/api/v1/config/gpu/strategy", {"strategy": "random"}, "read")[0], 403)
        same(service.call("POST", "/api/v1/config/gpu/strategy", {"strategy": "random"})[0], 401)
        check("strategy" in service.text(), "the log does not tell of the strategy")


def reads_its_file_again():
    with Service(other=EVERY_SECOND) as service:
        service.write("max_connections: 7", "gpu:\n  max_temperature: 70\n")
        service.process.send_signal(signal.SIGHUP)
        until(lambda: "sonde.server.max_connections" in service.text(), "the key that waits for a restart")
        text = service.text()
        check("gpu.max_temperature" in text and "take effect after a restart" in text, text)
        service.config.write_text("gpu:\n  max_temperature: hot\n")
        service.process.send_signal(signal.SIGHUP)
        until(lambda: "keeping the current configuration" in service.text(), "the error of the reload")
        config = service.call("GET", "/api/v1/config", role="read")[1]["config"]
        same(config["gpu"]["max_temperature"], 70)
        same(service.stop(signal.SIGINT), 0)


def follows_events():
    with Service(other=EVERY_SECOND) as service:
        connection = service.connect()
        connection.request("GET", "/api/v1/events", headers={"Authorization": f"Bearer {service.keys['read']}"})
        response = connection.getresponse()
        same((response.status, response.getheader("content-type")), (200, "text/event-stream"))
        lines = []
        while not any(line.startswith(b"data: {") for line in lines):
            lines.append(response.readline())
        check(b"event: samples\n" in lines, lines)
        same(service.stop(), 0)


def refuses_revoked_keys_on_open_connections():
    with Service(other=EVERY_SECOND) as service:
        kept = service.connect()
        same(service.call("GET", "/api/v1/me", role="read", connection=kept)[0], 200)
        stream = service.connect()
        stream.request("GET", "/api/v1/events", headers={"Authorization": f"Bearer {service.keys['read']}"})
        events = stream.getresponse()
        same(events.status, 200)
        subprocess.run([SONDE, "keys", "revoke", "read", "--config", str(service.config)], check=True,
                       capture_output=True)  # fmt: skip
        same(service.call("GET", "/api/v1/me", role="read", connection=kept)[0], 401)
        while events.readline():  # looked at every 15 s
            pass
        same(service.call("GET", "/api/v1/me", role="admin", connection=kept)[0], 200)


def makes_many_keys_at_once():
    with Service() as service:
        words = [SONDE, "keys", "add", "--role", "read", "--config", str(service.config)]
        adding = [subprocess.Popen([*words, f"key {i}"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
                  for i in range(16)]  # fmt: skip
        for process in adding:
            service.keys["new"] = process.communicate(timeout=60)[0].strip()
            same(process.returncode, 0)
            same(service.call("GET", "/api/v1/me", role="new")[0], 200)
        revoking = [subprocess.Popen([SONDE, "keys", "revoke", f"key {i}", "--config", str(service.config)],
                                     stderr=subprocess.DEVNULL) for i in range(16)]  # fmt: skip
        same([process.wait(timeout=60) for process in revoking], [0] * 16)
        same(service.call("GET", "/api/v1/me", role="new")[0], 401)
        same(service.call("GET", "/api/v1/me", role="read")[0], 200)


def tells_that_nobody_can_sign_in():
    with Service() as service:
        (service.path / "keys.json").unlink()
        service.stop()
        process = subprocess.Popen([SONDE, "serve", "--config", str(service.config), "--simulated", str(SIMULATED)],
                                   stderr=subprocess.PIPE, text=True)
        for line in process.stderr:
            if "sonde keys add" in line:
                break
        process.terminate()
        rest = process.communicate(timeout=60)[1]
        check("sonde keys add" in line, line + rest)


def speaks_tls():
    if shutil.which("openssl") is None:
        print("skip speaks_tls: openssl makes the certificate")
        return
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        make_certificate(folder)
        config = f"tls:\n  certificate: {folder}/certificate.pem\n  key: {folder}/key.pem"
        with Service(config) as service:
            service.tls = trusting(folder / "certificate.pem")
            same(service.call("GET", "/api/v1/me", role="read"), (200, {"name": "read", "role": "read"}))
            same(service.status_of(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n"), 400)
            make_certificate(folder, "renewed")
            service.process.send_signal(signal.SIGHUP)
            service.tls = trusting(folder / "certificate.pem")
            until(lambda: answers(service), "the renewed certificate")
            (folder / "key.pem").write_text("no key")
            service.process.send_signal(signal.SIGHUP)
            until(lambda: "still using the previous certificate" in service.text(), "the error of the certificate")
            same(service.call("GET", "/api/v1/me", role="read")[0], 200)
            same(service.stop(), 0)


def answers(service):
    try:
        return service.call("GET", "/api/v1/health")[0] == 200
    except OSError:
        return False


def says_why_it_does_not_start():
    with Service() as service:
        config = service.path / "second.yaml"

        def error(*options, yaml=""):
            config.write_text(f"sonde:\n  history:\n    path: {service.path}/second\n{yaml}")
            done = run("--config", str(config), "--simulated", str(SIMULATED), *options)
            same((done.returncode, done.stdout), (1, ""))
            return done.stderr

        used = error("--port", str(service.port))
        check(f"port {service.port} is in use" in used and "ss -ltnp" in used, used)
        plain = error("--address", "0.0.0.0", "--port", "0")
        check("sonde.server.tls" in plain and "allow_plain_http" in plain, plain)
        check("an IP address" in error("--address", "gpu-host"), "a name is taken for an address")
        tls = "  server:\n    tls:\n      certificate: /no/such.pem\n      key: /no/such.key\n"
        check("/no/such.pem" in error(yaml=tls), "the missing certificate is not named")
        check("max_temperature" in error(yaml="gpu:\n  max_temperature: hot\n"), "the wrong key is not named")
        config.write_text(f"sonde:\n  history:\n    path: {service.path}/second\n")
        no_gpus = run("--config", str(config), "--simulated", str(service.path / "none.yaml"))
        check(no_gpus.returncode == 1 and "none.yaml" in no_gpus.stderr, f"{no_gpus.returncode}: {no_gpus.stderr}")
        shared = run("--config", str(service.config), "--simulated", str(SIMULATED), "--port", "0")
        check(shared.returncode == 1 and f"{service.path}/state" in shared.stderr, f"{shared.returncode}: {shared.stderr}")
        missing = run("--config", str(service.path / "none.yaml"))
        check(missing.returncode == 1 and "none.yaml" in missing.stderr, missing.stderr)
        (service.path / "file").write_text("")
        no_folder = run("--config", str(write_state_path(service)))
        check(no_folder.returncode == 1 and "sonde.history.path" in no_folder.stderr, no_folder.stderr)


def shows_what_the_command_line_says():
    with Service("address: 127.0.0.1", options=("--simulated", str(SIMULATED), "--address", "127.0.0.2")) as service:
        text = service.port_file.read_text()
        check(text.startswith("127.0.0.2:"), text)
        connection = http.client.HTTPConnection("127.0.0.2", service.port, timeout=60)
        keys = service.call("GET", "/api/v1/config", role="read", connection=connection)[1]["keys"]
        found = {key["key"]: (key["value"], key["origin"]) for key in keys}
        same(found["sonde.server.address"], ("127.0.0.2", "command_line"))
        same(found["sonde.devices.source"], ("simulated", "command_line"))
        same(found["sonde.devices.simulated"], (str(SIMULATED), "command_line"))
        same(found["sonde.server.port"], (0, "file"))


def write_state_path(service):
    config = service.path / "third.yaml"
    config.write_text(f"sonde:\n  history:\n    path: {service.path}/file/state\n")
    return config


def tells_systemd():
    with tempfile.TemporaryDirectory() as folder, socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as notified:
        notified.bind(f"{folder}/notify")
        notified.settimeout(60)
        told = []

        def until_told(line):
            while not any(line in message for message in told):
                told.append(notified.recv(65536).decode().splitlines())

        environment = {"NOTIFY_SOCKET": f"{folder}/notify", "WATCHDOG_USEC": "200000"}
        with Service(other=EVERY_SECOND, environment=environment) as service:
            until_told("READY=1")
            until_told("WATCHDOG=1")
            told.clear()
            service.process.send_signal(signal.SIGHUP)
            until_told("RELOADING=1")
            check(any(line.startswith("MONOTONIC_USEC=") for line in told[-1]), told[-1])
            until_told("READY=1")
            until_told(f"STATUS=2 GPUs, 0 open incidents, 0 tasks run, 0 wait, http://127.0.0.1:{service.port}")
            service.process.send_signal(signal.SIGTERM)
            until_told("STOPPING=1")
            same(service.process.wait(timeout=60), 0)


def validates():
    with tempfile.TemporaryDirectory() as folder:
        config = Path(folder) / "config.yaml"
        config.write_text("gpu:\n  memory_threshold: 0.9\nsystem:\n  theirs: 1\n")
        good = run("--validate-config", cwd=folder)
        same((good.returncode, good.stdout, good.stderr), (0, "config.yaml: valid\n", ""))
        config.write_text("gpu:\n  memory_threshold: 9\n  max_temprature: 80\n")
        bad = run("--config", str(config), "--validate-config")
        same((bad.returncode, bad.stdout, len(bad.stderr.splitlines())), (1, "", 2))
        check(f"{config}:2:" in bad.stderr and f"{config}:3:" in bad.stderr, bad.stderr)
        same(run("--port", "70000").returncode, 2)


TESTS = [serves_simulated_gpus, serves_the_stand_in, starts_without_gpus, calls_in_use_take_effect, reads_its_file_again,
         follows_events, refuses_revoked_keys_on_open_connections, makes_many_keys_at_once,
         tells_that_nobody_can_sign_in, speaks_tls, says_why_it_does_not_start, shows_what_the_command_line_says,
         tells_systemd, validates]  # fmt: skip

if __name__ == "__main__":
    from _serve import run_all

    sys.exit(run_all(TESTS))
