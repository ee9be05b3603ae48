#!/usr/bin/env python3
"""Opens ten thousand connections to `sonde serve` at once: to a service with a limit of 1024, and to one that accepts
all."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tools/shared"))

import _serve_attack as attack  # noqa: E402
from _serve import Service, run_all  # noqa: E402

WANTED = 10_000


def hold(limit):
    count = attack.connections_allowed(WANTED)
    if count < WANTED:
        print(f"     ulimit -n allows {count} of {WANTED} connections")
    with Service(f"max_connections: {limit}\nrequests_per_second: 1000000\nburst: 1000000") as service:
        attack.many_connections(service, count)
        print(f"     {service.rss_mb():.0f} MB after {count} connections, {limit} allowed")
        attack.same(service.stop(), 0, "exit")


def with_the_usual_limit():
    hold(1024)


def with_all_allowed():
    hold(20_000)


if __name__ == "__main__":
    sys.exit(run_all([with_the_usual_limit, with_all_allowed]))
