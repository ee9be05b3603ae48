#!/usr/bin/env python3
"""Sends random requests, made from the OpenAPI document of a running service. Most are wrong in some way. Each response
has a status that the document lists for that route and, if it is an error, a problem+json body. None is a 500. At the
end the service still responds, without more memory.

The requests are the same in each run; SONDE_FUZZ_SEED and SONDE_FUZZ_REQUESTS choose others and more.
"""

import http.client
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from urllib.parse import quote

import jsonschema

ROOT = Path(__file__).resolve().parents[3]
SONDE = os.environ["SONDE"]
REQUESTS = int(os.environ.get("SONDE_FUZZ_REQUESTS", "3000"))
PATIENCE_S = 60
ROLES = ("read", "submit", "admin")
# What the server or the router says before any operation is reached.
OF_ALL = {400, 404, 405, 408, 413, 414, 431, 503}
MOST_GROWTH_KB = 64 * 1024
TEXTS = [
    "", "0", "-1", "1", "gpu_0", "gpu_99", "now", "-1h", "a,b", "all", "open", "samples,incident", "9" * 30, "1e999", "NaN", "null", "true",
    "../../etc/passwd", "..%2f", "%00", "\x00", "\u202e", "é" * 50, "\U0001f525", "' OR 1=1 --", "<script>", "${jndi:x}", "x" * 5000, "\r\nX: y",
    "temperature_celsius", "2026-11-22T04:00:00Z", "1763784000",
]  # fmt: skip
# Submissions that are right, or nearly.
TASKS = [
    {"type": "training"}, {"type": "failing", "priority": "low"}, {"type": "printing", "arguments": ["\u202e", "\U0001f525" * 100]},
    {"type": "training", "gpus": 2, "memory": "1GiB", "environment": {"SEED": "1"}}, {"type": "training", "gpus": 1024},
    {"type": "training", "memory": "1000TiB"}, {"type": "training", "after": [1]}, {"type": "training", "after": [2**62]},
    {"type": "asking", "request": {"inputs": []}}, {"command": ["id"]}, {"type": "training", "environment": {"LD_PRELOAD": "x"}},
    {"type": "training", "strategy": "random", "time_limit_seconds": 0.001, "retries": 3, "profile": False, "name": "\x00é"},
]  # fmt: skip
IDS = [1, 2, 3, 0, -1, 2**31, 2**63 - 1, 2**63, "1e3", "0x1", "١"]
BODIES = [
    b"", b"{", b"[]", b"null", b"\"", b"{}", b"[" * 5000, b"\xff\xfe", b'{"strategy": "\xc3"}', b'{"a": 1, "a": 2}', b"1e999", b"x" * 100_000,
    "{\"strategy\": \"ü\"}".encode("utf-16"), b'{"strategy": null}', b'{"max_concurrent_tasks": 1e30}',
]  # fmt: skip
VALUES = [None, True, 0, -1, 1.5, 10**25, "", "round_robin", "x" * 300, [], {}, [[[]]], {"a": {"b": 1}}]
HEADERS = [
    ("Authorization", "Bearer"), ("Authorization", "Bearer sonde_k0000000_" + "A" * 43), ("Authorization", "Basic YTpi"),
    ("Authorization", "Bearer " + "x" * 4000), ("Content-Type", "text/plain"), ("Content-Type", ""), ("Last-Event-ID", "-1"), ("Last-Event-ID", "x"),
    ("Idempotency-Key", "again"), ("Idempotency-Key", ""), ("Idempotency-Key", "x" * 500), ("Idempotency-Key", "a b"),
    ("Accept", "image/png"), ("X-Forwarded-For", "127.0.0.1"), ("Expect", "100-continue"), ("Accept-Encoding", "gzip"),
]  # fmt: skip


def made_key(role, keys):
    words = [SONDE, "keys", "add", f"fuzz {role}", "--role", role, "--keys", str(keys)]
    return subprocess.run(words, capture_output=True, text=True, check=True).stdout.strip()


def started(folder):
    """The service on simulated GPUs, at a free port; (process, address, port)."""
    config = folder / "config.yaml"
    config.write_text(
        "gpu: {monitoring: {interval: 0.2}}\n"
        "sonde:\n"
        f"  server: {{port: 0, port_file: {folder}/port, keys_file: {folder}/keys.json, requests_per_second: 100000, burst: 100000}}\n"
        f"  devices: {{source: simulated, simulated: {ROOT}/examples/simulated_host.yaml}}\n"
        f"  history: {{path: {folder}/history}}\n"
        "  tasks:\n"
        "    cancel_grace: 0.1\n"
        "    output_total_limit: 64MiB\n"
        "    types:\n"
        "      training: {command: [\"true\"], allow_arguments: true, allow_environment: [SEED], environment: {TOKEN: never-shown}}\n"
        "      failing: {command: [\"false\"], retries: 1}\n"
        "      printing: {command: [echo], allow_arguments: true, gpus: 0}\n"
        "      asking: {model: m, workers: {gpu_0: \"http://127.0.0.1:9\"}}\n"
    )
    with open(folder / "log", "wb") as log:
        process = subprocess.Popen([SONDE, "serve", "--config", str(config)], stdout=log, stderr=log, cwd=folder)
    end = time.monotonic() + PATIENCE_S
    while time.monotonic() < end and process.poll() is None:
        text = (folder / "port").read_text() if (folder / "port").exists() else ""
        if ":" in text:
            host, port = text.strip().rsplit(":", 1)
            return process, host.strip("[]"), int(port)
        time.sleep(0.05)
    process.kill()
    raise RuntimeError("the service did not start: " + (folder / "log").read_text(errors="replace")[-2000:])


class Fuzz:
    def __init__(self, address, keys, seed):
        self.address = address
        self.keys = keys
        self.random = random.Random(seed)
        self.document = json.loads(self.send("GET", "/api/v1/openapi.json", None, {})[2])
        self.problem = jsonschema.Draft202012Validator(self.document["components"]["schemas"]["Problem"])
        self.schemas = {}
        self.calls = [
            (path, method, operation) for path, methods in self.document["paths"].items() for method, operation in methods.items()
        ]
        self.statuses = {}

    def send(self, method, target, body, headers):
        connection = http.client.HTTPConnection(*self.address, timeout=PATIENCE_S)
        try:
            connection.request(method, target, body, headers)
            response = connection.getresponse()
            kind = response.getheader("Content-Type") or ""
            # A stream has no end: its head is the answer.
            text = b"" if kind.startswith("text/event-stream") else response.read(64 << 20)
            return response.status, response.headers, text
        finally:
            connection.close()

    def target(self, path, operation):
        draw = self.random
        for part in ("{task}", "{batch}"):
            if draw.random() < 0.8:
                path = path.replace(part, quote(str(draw.choice(IDS) if draw.random() < 0.5 else draw.randint(1, 8))))
        for part in ("{gpu}", "{id}", "{task}", "{batch}"):
            path = path.replace(part, quote(draw.choice(TEXTS), safe="" if draw.random() < 0.8 else "/."))
        # A wait for output that does not come takes half a minute.
        named = [p["name"] for p in operation.get("parameters", []) if p["in"] == "query" and p["name"] != "follow"]
        query = []
        for _ in range(draw.choice([0, 0, 1, 1, 2, 3])):
            name = draw.choice(named) if named and draw.random() < 0.8 else draw.choice(["x", "", "limit", "é"])
            query.append(f"{quote(name)}={quote(draw.choice(TEXTS))}")
        return path + ("?" + "&".join(query) if query else "")

    def body(self, operation):
        draw = self.random
        content = operation.get("requestBody", {}).get("content", {}).get("application/json")
        if content is None and draw.random() < 0.7:
            return None
        if content is None or draw.random() < 0.3:
            return draw.choice([None, None, *BODIES])
        if draw.random() < 0.3:
            return json.dumps(content["example"]).encode()
        if draw.random() < 0.5 and operation["operationId"] in ("submit_task", "submit_batch"):
            return json.dumps(self.submission(operation["operationId"])).encode()
        keys = [*self.resolved(content["schema"])["properties"], "x"]
        return json.dumps({draw.choice(keys): draw.choice(VALUES) for _ in range(draw.randint(0, 3))}).encode()

    def submission(self, name):
        draw = self.random
        task = dict(draw.choice(TASKS))
        if draw.random() < 0.3:
            task[draw.choice(list(self.document["components"]["schemas"]["TaskSubmission"]["properties"]))] = draw.choice(VALUES)
        if name == "submit_task":
            return task
        if draw.random() < 0.5:
            return {"count": draw.choice([1, 8, 100, 10**5]), "task": task}
        return {"name": draw.choice(TEXTS), "tasks": [task] * draw.choice([0, 1, 5])}

    def resolved(self, schema):
        name = schema.get("$ref", "").rpartition("/")[2]
        return self.document["components"]["schemas"][name] if name else schema

    def headers(self):
        draw = self.random
        headers = {}
        if draw.random() < 0.9:
            headers["Authorization"] = f"Bearer {self.keys[draw.choice(ROLES)]}"
        for _ in range(draw.choice([0, 0, 0, 1, 2])):
            name, value = draw.choice(HEADERS)
            headers[name] = value
        return headers

    def method(self, method):
        return method.upper() if self.random.random() < 0.9 else self.random.choice(["PUT", "PATCH", "DELETE", "HEAD", "OPTIONS", "TRACE", "FOO"])

    def trouble(self, operation, method, status, headers, text, documented):
        """What is wrong with an answer; nothing where it is right."""
        if status == 500:
            return "a 500"
        if method in ("HEAD", "OPTIONS"):
            return None
        if status not in OF_ALL and str(status) not in operation["responses"]:
            return "a status that the document does not have"
        if status >= 400 and "problem+json" not in headers.get("Content-Type", "") and not documented(status, headers):
            return f"an error of the type {headers.get('Content-Type')}"
        if status >= 400 and "problem+json" in headers.get("Content-Type", ""):
            wrong = next(self.problem.iter_errors(json.loads(text)), None)
            return wrong and f"an error that is no problem: {wrong.message}"
        content = operation["responses"].get(str(status), {}).get("content", {}).get("application/json")
        if b"never-shown" in text:
            return "a value of an environment variable"
        if status in (200, 201) and content:
            return self.wrong_body(operation, content["schema"], text)
        return None

    def wrong_body(self, operation, schema, text):
        name = operation["operationId"]
        if name not in self.schemas:
            whole = {**schema, "components": self.document["components"]}
            self.schemas[name] = jsonschema.Draft202012Validator(whole)
        wrong = next(self.schemas[name].iter_errors(json.loads(text)), None)
        return wrong and f"a body that is not of its schema: {wrong.json_path}: {wrong.message[:200]}"

    def round(self):
        path, method, operation = self.random.choice(self.calls)
        target, body, headers = self.target(path, operation), self.body(operation), self.headers()
        method = self.method(method)
        try:
            status, answered, text = self.send(method, target, body, headers)
        except (http.client.HTTPException, OSError, ValueError) as error:
            return f"{method} {target[:200]}: {type(error).__name__}: {error}"
        self.statuses[status] = self.statuses.get(status, 0) + 1

        def documented(code, got):
            return got.get("Content-Type", "").split(";")[0] in operation["responses"].get(str(code), {}).get("content", {})

        found = self.trouble(operation, method, status, answered, text, documented)
        return found and f"{method} {target[:200]} {str(body)[:120]}: {found} ({status}) {text[:200]!r}"


def resident_kb(process):
    for line in Path(f"/proc/{process.pid}/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1])
    return 0


def cancel_one_that_is_over(fuzz):
    """What that gets: too rarely drawn to be relied on."""
    headers = {"Authorization": f"Bearer {fuzz.keys['admin']}", "Content-Type": "application/json"}
    status, _, text = fuzz.send("POST", "/api/v1/tasks", json.dumps({"type": "printing"}), headers)
    if status != 201:
        return status
    path = f"/api/v1/tasks/{json.loads(text)['id']}"
    end = time.monotonic() + PATIENCE_S
    while time.monotonic() < end and json.loads(fuzz.send("GET", path, None, headers)[2])["ended"] is None:
        time.sleep(0.02)
    return fuzz.send("POST", f"{path}/cancel", None, headers)[0]


def attacked(process, fuzz):
    warm = min(500, REQUESTS // 3)  # caches and threads of the service are there by then
    failures, before = [], 0
    for number in range(REQUESTS):
        if number == warm:
            before = resident_kb(process)
        if (found := fuzz.round()) is not None:
            failures.append(found)
    grown = resident_kb(process) - before
    if grown > MOST_GROWTH_KB:
        failures.append(f"the service grew by {grown} kB")
    status, _, text = fuzz.send("GET", "/api/v1/me", None, {"Authorization": f"Bearer {fuzz.keys['read']}"})
    if status != 200 or json.loads(text)["role"] != "read":
        failures.append(f"the service does not answer any more: {status} {text!r}")
    conflict = cancel_one_that_is_over(fuzz)
    fuzz.statuses[conflict] = fuzz.statuses.get(conflict, 0) + 1
    # No draw of it may have gone through without being seen.
    for expected in (200, 201, 400, 401, 403, 404, 405, 409):
        if expected not in fuzz.statuses:
            failures.append(f"no answer was a {expected}: {fuzz.statuses}")
    print(f"answers by status: {dict(sorted(fuzz.statuses.items()))}; the service grew by {grown} kB")
    return failures


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        keys = {role: made_key(role, folder / "keys.json") for role in ROLES}
        process, host, port = started(folder)
        try:
            failures = attacked(process, Fuzz((host, port), keys, int(os.environ.get("SONDE_FUZZ_SEED", "1"))))
        finally:
            process.send_signal(signal.SIGTERM)
            try:
                process.wait(PATIENCE_S)
            except subprocess.TimeoutExpired:
                process.kill()
    print("\n".join(failures[:40]))
    return 1 if failures else 0


if __name__ == "__main__":
    if subprocess.run([SONDE, "serve", "--help"], capture_output=True, check=False).returncode != 0:
        print("skipped: this program has no command serve")
        sys.exit(77)
    sys.exit(main())
