"""Compares counts and times of a recording with what the program does by construction, and with CUDA events."""

import json

from _host import SONDE, check, close, run

from _cuda import Cuda


def recorded(host, name, *words, options=(), traces="cuda,nvtx"):
    """(the profile, the program's account, what the recorder said)."""
    path = host.file(f"{name}.sqlite")
    done = run([SONDE, "record", "-f", "-t", traces, *options, "-o", path, "--", host.program(), *words])
    return Cuda(path), json.loads(done.stdout), done.stderr


def counts(profile):
    return {name: count for name, (count, _) in profile.kernels().items()}


def work(host):
    """Kernels, copies, sets and ranges."""
    profile, account, said = recorded(host, "work", "work", 50)
    check(counts(profile) == account["kernels"], (profile.kernels(), said))
    check({kind: row[:2] for kind, row in profile.copies().items()} == account["copies"], profile.copies())
    check(profile.sets()[0] == account["sets"], profile.sets())
    check(profile.counts() == {"step": 50}, profile.counts())
    return f"{sum(account['kernels'].values())} kernels, {sum(row[0] for row in account['copies'].values())} copies"


def event_times(host):
    """Kernels of 2 ms, each between two CUDA events: these take as long and what lies between them, some microseconds."""
    profile, account, _ = recorded(host, "timed", "timed", 50)
    ((count, ns),) = profile.rows("SELECT count(*), sum(end - start) FROM CUPTI_ACTIVITY_KIND_KERNEL WHERE end - start > "
                                  "1000000")
    check(count == 50, f"{count} kernels")
    close(ns / 1e6, account["event_ms"], 0.01, "milliseconds of kernels, by CUDA events")
    ((outside,),) = profile.rows(
        "SELECT count(*) FROM CUPTI_ACTIVITY_KIND_KERNEL k WHERE k.end - k.start > 1000000 AND NOT EXISTS (SELECT 1 FROM "
        "NVTX_EVENTS n WHERE n.text = 'timed' AND n.start <= k.start AND n.end >= k.end)")
    check(outside == 0, f"{outside} kernels lie outside of the range that waited for them: the clocks disagree")
    return f"{ns / 1e6:.3f} ms, events {account['event_ms']:.3f} ms"


def streams(host):
    profile, account, _ = recorded(host, "streams", "streams", 100)
    check(counts(profile) == account["kernels"], profile.kernels())
    ((used,),) = profile.rows("SELECT count(DISTINCT streamId) FROM CUPTI_ACTIVITY_KIND_KERNEL")
    check(used == 4, f"{used} streams")
    return "4 threads, 4 streams"


def graphs(host):
    profile, account, _ = recorded(host, "graph", "graph", 40)
    ((launches,),) = profile.rows("SELECT count(*) FROM CUPTI_ACTIVITY_KIND_GRAPH_TRACE")
    check(launches == account["graph_launches"], f"{launches} launches")
    profile, account, _ = recorded(host, "nodes", "graph", 40, options=["--cuda-graph-trace=node"])
    check(counts(profile) == account["kernels"], profile.kernels())
    return f"{launches} launches, {sum(account['kernels'].values())} nodes"


def capture_range(host):
    """Between cudaProfilerStart() and cudaProfilerStop()."""
    profile, account, _ = recorded(host, "range", "profiler", 30,
                                   options=["--capture-range=cudaProfilerApi", "--capture-range-end=stop"])
    check(counts(profile) == account["kernels"], profile.kernels())


def million(host):
    """Launched as fast as they go."""
    profile, account, said = recorded(host, "many", "many", 1_000_000, traces="cuda")
    check(counts(profile) == account["kernels"], (profile.kernels(), said))


PARTS = (work, event_times, streams, graphs, capture_range, million)
