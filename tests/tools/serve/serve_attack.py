#!/usr/bin/env python3
"""Attacks `sonde serve`: it returns the right codes, its memory is bounded, and other clients are still served."""

import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "shared"))
import _serve_attack as attack
from _serve import Service, run_all

# Unlimited calls, so that attacks meet the limit that they are about and not that of calls a second.
FAST = "requests_per_second: 1000000\nburst: 1000000"
TESTS = [attack.wrong_keys, attack.broken_bodies, attack.path_tricks, attack.smuggling, attack.no_http,
         attack.huge_bodies, attack.many_bodies_at_once, attack.readers_that_do_not_read]  # fmt: skip


def on_one_service():
    with Service(FAST) as service:
        for test in TESTS:
            test(service)
        attack.same(service.stop(), 0, "exit")


def histories_that_nobody_reads():
    with Service(FAST) as service:
        attack.histories_that_nobody_reads(service)
        attack.same(service.stop(), 0, "exit")


def slow_clients():
    with Service("request_timeout: 1\nidle_timeout: 1") as service:
        attack.slow_clients(service)


def two_thousand_connections():
    count = attack.connections_allowed(2000)
    print(f"     {count} connections to a service that takes 1024")
    with Service(FAST) as service:
        attack.many_connections(service, count)
        attack.same(service.stop(), 0, "exit")


def tls_garbage():
    with tempfile.TemporaryDirectory() as folder:
        attack.tls_garbage(Path(folder))


if __name__ == "__main__":
    sys.exit(run_all([on_one_service, histories_that_nobody_reads, slow_clients, two_thousand_connections, tls_garbage]))
