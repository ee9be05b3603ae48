#!/usr/bin/env python3
"""Checks every finding of `sonde why` on four real profiles that were analyzed by hand (docs/profiles/findings.md). The
raw rows, read without sonde, bound its numbers.

usage: SONDE_TEST_DATA=FOLDER [SONDE=PROGRAM] findings_by_hand.py
"""

import gzip
import json
import pathlib
import sqlite3
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "reference"))

import compare

GPU_CATEGORIES = ("kernel", "memcpy", "memset", "gpu_memcpy", "gpu_memset")


def gaps(operations):
    """(start, end) of each time between the first and the last operation in which none runs."""
    found, busy_until = [], None
    for start, end in sorted(operations):
        if busy_until is not None and start > busy_until:
            found.append((busy_until, start))
        busy_until = end if busy_until is None else max(busy_until, end)
    return found


def total(spans):
    return sum(end - start for start, end in spans)


def inside(spans, others):
    """Time that is in both."""
    return sum(max(0, min(e, end) - max(s, start)) for s, e in spans for start, end in others)


def query(path, text):
    with sqlite3.connect(f"file:{path}?mode=ro&immutable=1", uri=True) as database:
        return database.execute(text).fetchall()


def events(path):
    """Complete events of a PyTorch trace with times in ns since its first one."""
    every = json.loads(gzip.open(path).read())["traceEvents"]
    complete = [event for event in every if event.get("ph") == "X" and event["cat"] != "Trace"]
    first = min(event["ts"] for event in complete)
    for event in complete:
        start = 1000 * (event["ts"] - first)
        event["span"] = (start, start + 1000 * event["dur"])
    return complete


def gpu_work(trace):
    return [event["span"] for event in trace if event["cat"].lower() in GPU_CATEGORIES]


def named(trace, part):
    return [event["span"] for event in trace if part in event["name"]]


def managed_memory(path, findings):
    kernel = query(path, "SELECT start, end FROM CUPTI_ACTIVITY_KIND_KERNEL")
    to_gpu = query(path, "SELECT start, end FROM CUPTI_ACTIVITY_KIND_MEMCPY WHERE copyKind = 11")
    to_host = query(path, "SELECT start, end FROM CUPTI_ACTIVITY_KIND_MEMCPY WHERE copyKind = 12")
    yield "each page moves once a direction", "managed_thrash" not in findings
    idle = total(gaps(kernel + to_gpu + to_host))
    yield "all idle time is before migrations", findings["gpu_idle_migration"]["ceiling_ns"] == idle
    # With all SMs at work the kernel still takes the time in which its pages come.
    yield "one block on 108 SMs", findings["small_grid"]["ceiling_ns"] / (total(kernel) - total(to_gpu)), (0.99, 1.01)


def power_iteration(path, findings):
    kernels = query(path, "SELECT start, end FROM CUPTI_ACTIVITY_KIND_KERNEL")
    work = kernels + query(path, "SELECT start, end FROM CUPTI_ACTIVITY_KIND_MEMCPY")
    files = query(path, "SELECT start, end FROM NVTX_EVENTS LEFT JOIN StringIds ON id = textId"
                        " WHERE coalesce(text, value) LIKE 'IO %'")
    product = query(path, "SELECT k.start, k.end FROM CUPTI_ACTIVITY_KIND_KERNEL k JOIN StringIds ON id = shortName"
                          " WHERE value = 'gemv2T_kernel_val'")
    idle = inside(gaps(work), files)
    yield "idle while files are written", findings["gpu_idle_range"]["ceiling_ns"] / idle, (0.95, 1)
    # No two operations run at once there.
    share = 100 * total(product) / total(work)
    yield "one kernel's share", findings["dominant_kernel"]["arguments"]["share_percent"] / share, (0.999, 1.001)


def resnet50(path, findings):
    trace = events(path)
    idle = gaps(gpu_work(trace))
    loading = inside(idle, named(trace, "DataLoader"))
    yield "idle while data are loaded", findings["gpu_idle_data_loading"]["ceiling_ns"] / loading, (0.95, 1)
    zeroing = total(named(trace, "Optimizer.zero_grad"))
    yield "host time that sets gradients to 0", findings["tiny_kernels"]["ceiling_ns"] / zeroing, (0.8, 1)
    bound = findings["launch_bound"]
    host = bound["arguments"]["launches"] * bound["arguments"]["host_ns"]
    yield "no more than the host time of its stretches", bound["ceiling_ns"] / host, (0.9, 1.01)
    copies = [event for event in trace if event["cat"] == "Memcpy"]
    pinned = sum(event["args"]["bytes"] for event in copies) / 30
    saved = total(event["span"] for event in copies) - pinned
    yield "the same bytes at 30 GB/s", findings["pageable_copy"]["ceiling_ns"] / saved, (0.98, 1.02)


def b200_eager(path, findings):
    trace = events(path)
    idle = gaps(gpu_work(trace))
    bound = findings["launch_bound"]
    longest = bound["evidence"][0]
    stretch = inside(idle, [(longest["start_ns"], longest["end_ns"])])
    yield "idle in its stretch", bound["arguments"]["time_ns"] / stretch, (0.99, 1.01)
    both = bound["ceiling_ns"] + findings["gpu_idle_range"]["ceiling_ns"]
    yield "no more than all idle time", both / total(idle), (0.95, 1.03)


PROFILES = {
    "nsys_sqlite/managed_memory_2022.2.sqlite": managed_memory,
    "nsys_sqlite/power_iteration_nvtx_osrt_samples_2025.3.1.sqlite": power_iteration,
    "kineto/kineto_resnet50_workers0_old_categories.json.gz": resnet50,
    "kineto/tracelens_b200_eager.json.gz": b200_eager,
}


def main():
    wrong = 0
    for name, check in PROFILES.items():
        folder, file = name.split("/")
        path = compare.data_folder(folder) / file
        print(file)
        document = compare.why_as_recorded(path)
        findings = {finding["id"]: finding for finding in document["findings"]}
        wrong += sum(not compare.holds(*one) for one in check(path, findings))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
