"""Measures the time of a scrape of `sonde serve` over one persistent connection, while it samples eight stand-in GPUs each second."""

import os
import socket
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
GPUS = 8
SCRAPES = 5000
LIMIT_MS = 2  # at the 99th percentile
REQUEST = b"GET /metrics HTTP/1.1\r\nHost: bench\r\n\r\n"


def scrape(connection):
    """Seconds from the request to the last byte of the answer, and how many bytes its body has."""
    began = time.perf_counter()
    connection.sendall(REQUEST)
    text = b""
    while b"\r\n\r\n" not in text:
        text += connection.recv(1 << 18)
    head, body = text.split(b"\r\n\r\n", 1)
    length = int(head.split(b"Content-Length: ")[1].split(b"\r\n")[0])
    missing = length - len(body)
    while missing > 0:
        missing -= len(connection.recv(1 << 18))
    return time.perf_counter() - began, length


def measure(sonde, against):
    os.environ["SONDE"] = str(sonde)
    sys.path.insert(0, str(ROOT / "tests/tools/shared"))
    from _serve import STAND_IN, Service, until

    script = ROOT / "build/bench/serve_nvml.txt"
    script.write_text(f"gpus = {GPUS}\n")
    environment = {"SONDE_NVML": str(STAND_IN), "SONDE_FAKE_NVML": str(script)}
    with Service(other="gpu:\n  monitoring:\n    interval: 1\n", options=(), environment=environment) as service:
        until(lambda: len(service.call("GET", "/api/v1/gpus", role="read")[1]["gpus"]) == GPUS, "the GPUs")
        with service.raw() as connection:
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            for _ in range(100):
                scrape(connection)
            runs = sorted(scrape(connection) for _ in range(SCRAPES))
    milliseconds = [seconds * 1000 for seconds, _ in runs]
    p50, p99 = milliseconds[len(runs) // 2], milliseconds[len(runs) * 99 // 100]
    print(f"  {GPUS} GPUs, {runs[0][1] / 1000:.0f} kB, {SCRAPES} scrapes: p50 {p50:.2f} ms, p99 {p99:.2f} ms, "
          f"{against(p99, LIMIT_MS)} ms, longest {milliseconds[-1]:.2f} ms, {os.cpu_count()} cores")
