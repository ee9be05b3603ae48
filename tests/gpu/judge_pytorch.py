"""Compares recordings of PyTorch with its own profiler, and the time of programs with and without a recorder."""

import csv
import gzip
import json
import re
import statistics

from _evidence import check, close

LIMIT_OF_TRAINING = 1.05
PARTS_OF_RTDETR = ("backbone", "encoder", "decoder")


def kernels_of_trace(path):
    """(count, microseconds). Rows of ranges that PyTorch draws on the GPU's timeline have other categories."""
    opened = gzip.open if path.suffix == ".gz" else open
    with opened(path, "rt") as file:
        events = json.load(file)["traceEvents"]
    found = [event["dur"] for event in events if event.get("cat", "").lower() == "kernel"]
    return len(found), sum(found)


def kernels(part):
    """As many kernels, and as long in all."""
    part.done("theirs")
    theirs = kernels_of_trace(part.file("theirs.json"))
    ours = part.profile("ours").kernels().values()
    count, microseconds = sum(row[0] for row in ours), sum(row[1] for row in ours) / 1e3
    check(count == theirs[0], f"{count} kernels, PyTorch's profiler has {theirs[0]}")
    close(microseconds, theirs[1], 0.05, "microseconds of kernels")
    return f"{count} kernels, {microseconds / 1e3:.3f} ms"


def modules(part):
    """RT-DETR by its modules: backbone, encoder and decoder have GPU time."""
    part.profile("modules")
    table = part.out("table")
    for name in PARTS_OF_RTDETR:
        check(name in table, f"no {name} among the modules: {table[:2000]}")


def profiler_inside(part):
    """The program uses PyTorch's profiler while it is recorded: one of the two has the kernels."""
    count = sum(row[0] for row in part.profile("both").kernels().values())
    theirs = kernels_of_trace(part.file("inside.json"))[0]
    check(count > 0, f"no kernels: {part.said('both')}")
    return f"{count} kernels here, {theirs} in PyTorch's trace"


def workers(part):
    """Workers that end by os._exit() change neither the program nor its kernels."""
    part.done("workers")
    count = sum(row[0] for row in part.profile("workers").kernels().values())
    check(count > 0, f"no kernels: {part.said('workers')}")
    return f"{count} kernels"


def keeps_running(part):
    """The program runs on after the recording, to its own end."""
    steps = part.account("part")["steps"]
    check(part.file("part.sqlite").exists() or re.search(r"first CUDA call|no process used CUDA", part.said("part")),
          f"no profile, and no reason: {part.said('part')}")
    return f"{steps} steps; {part.said('part').strip().splitlines()[-1]}"


def study(part):
    """The parts of the model are named with what they take, and most of their kernels' time has counters."""
    part.done("study")
    for title in ("GPU time of modules", "memory traffic of the kernels of modules"):
        check(title in part.said("study"), f"nothing of {title}: {part.said('study')}")
    rows = list(csv.DictReader(part.out("table").splitlines()))
    for name in PARTS_OF_RTDETR:
        of_part = [row for row in rows if row["Module"].endswith(name)]
        check(of_part, f"no module is the {name}")
        check(any(float(row["Measured (%)"] or 0) > 50 for row in of_part), f"half of the {name} has no counters: {of_part}")
    return f"a report of {part.file('rtdetr.html').stat().st_size >> 10} KB"


def costs(part):
    """{way: its rounds}, of those that were run to their end."""
    found = {}
    for name in part.steps():
        way, number = name.rsplit("_", 1)
        if number.isdigit() and not part.text(f"{name}.status").startswith(("124 ", "137 ")):
            found.setdefault(way, []).append(part.account(name)["step_ms"])
    if not {"alone", "sonde"} <= found.keys():
        for name in part.steps():
            part.done(name)  # or why not
    check("alone" in found and "sonde" in found, f"only {sorted(found)} were measured")
    return found


def shown(found):
    alone = statistics.median(found["alone"])
    rows = [f"{way} {statistics.median(times):.3f} ms ({statistics.median(times) / alone:.3f}; "
            f"{', '.join(f'{time:.3f}' for time in times)})" for way, times in found.items()]
    return ", ".join(rows) + ("" if "nsys" in found else "; nsys is not installed")


def launch_cost(part):
    """A thousand launches that do nothing else."""
    return shown(costs(part))


def below_torch_profiler(found):
    if "torch_profiler" in found:
        check(statistics.median(found["sonde"]) < statistics.median(found["torch_profiler"]), shown(found))
    return shown(found)


def training_cost(part):
    """At most 5 % more, and less than PyTorch's profiler takes."""
    found = costs(part)
    check(statistics.median(found["sonde"]) <= LIMIT_OF_TRAINING * statistics.median(found["alone"]), shown(found))
    return below_torch_profiler(found)


def rtdetr_cost(part):
    return below_torch_profiler(costs(part))
