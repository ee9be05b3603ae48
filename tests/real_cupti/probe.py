#!/usr/bin/env python3
"""What NVIDIA's own CUPTI gives where there is no GPU, for each call that the injected library makes: with its
declarations, in its order, before cuInit(), within it and after it. Compares with results.tsv beside this script, and
writes the same table to build/real_cupti/results.tsv. `probe.py --update` writes results.tsv itself.

A cell is one result, or one for each place where they differ: `alone` without a driver, `within` cuInit(), `after` it.
"""

import concurrent.futures
import csv
import os
import re
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

from _libraries import FOLDER, PROGRAM, ROOT, TOOLS, RemovesDevice, find_drivers, find_libraries, isolated

PROBE = TOOLS / "libreal_cupti_probe.so"
RESULTS = Path(__file__).with_name("results.tsv")
PATIENCE_S = 120
ALONE, AFTER, PLACES = ("alone",), ("after",), ("alone", "within", "after")
CASES = {
    "functions": ALONE, "names": ALONE, "records": ALONE, "code": ALONE, "chips": ALONE,
    "first": PLACES, "timeline": PLACES, "subscribers": PLACES, "counters": PLACES, "counters_with_helpers": PLACES,
    "samples_with_helpers": AFTER, "instructions": AFTER, "gpu_chip": AFTER, "gpu_availability": AFTER,
    "gpu_sampling": AFTER, "gpu_set_instructions": AFTER, "gpu_unset_instructions": AFTER,
}
WITH_EACH_DRIVER = ("first", "timeline")  # the others with the newest alone
# CUPTI opens its helpers by their names: here the loader finds those of another CUDA. As "counters" and
# "counters_with_helpers".
WITH_OTHERS = {"counters_others_on_path": "counters", "helpers_others_on_path": "counters_with_helpers"}
CASES |= dict.fromkeys(WITH_OTHERS, AFTER)
CALLS = {  # those that src/inject knows by their numbers
    "driver 307": "cuLaunchKernel", "driver 442": "cuLaunchKernel_ptsz", "driver 477": "cuLaunchCooperativeKernel",
    "driver 478": "cuLaunchCooperativeKernel_ptsz", "driver 652": "cuLaunchKernelEx", "driver 653": "cuLaunchKernelEx_ptsz",
    "driver 514": "cuGraphLaunch", "driver 515": "cuGraphLaunch_ptsz", "driver 308": "cuProfilerStart",
    "driver 309": "cuProfilerStop", "runtime 171": "cudaProfilerStart_v4000", "runtime 172": "cudaProfilerStop_v4000",
}
MOST_CALLS = 4096  # kMaxCalls of cupti/back_traces.cc


def rows_of(text):
    """{call: result}; a call that gives something else when it is made again has its number there."""
    rows = {}
    for line in text.splitlines():
        call, _, result = line.partition("\t")
        name, count = call, 1
        while rows.get(name, result) != result:
            count += 1
            name = f"{call} #{count}"
        rows[name] = result
    return rows


def ending(status):
    return f"exit {status}" if status >= 0 else signal.Signals(-status).name


def folders_for(cupti, driver, case):
    """What the loader finds, beside the system's libraries."""
    others = [other.parent for other in find_libraries().values() if other != cupti] if case in WITH_OTHERS else []
    return [driver, *others[-1:]]


def probe(cupti, driver, case, place):
    """{call: result} of one process."""
    folders = [] if place == "alone" else folders_for(cupti, driver, case)
    with tempfile.NamedTemporaryFile("r") as output:
        variables = dict(PATH=os.environ["PATH"], PROBE_CUPTI=str(cupti), PROBE_CASE=WITH_OTHERS.get(case, case),
                         PROBE_PLACE=place, PROBE_OUTPUT=output.name)
        if place == "within":
            variables["CUDA_INJECTION64_PATH"] = str(PROBE)
        words = isolated(folders, PROGRAM, "probe", PROBE, *(["cuda"] if place != "alone" else []))
        run = subprocess.run(words, env=variables, capture_output=True, text=True, check=False, timeout=PATIENCE_S)
        rows = rows_of(output.read())
    for call, result in rows.items():
        if result == "":
            rows[call] = ending(run.returncode)
    rows["the process ends"] = ending(run.returncode)
    if case == "first" and place != "alone":
        rows["the driver"] = run.stdout.splitlines()[0]
    return rows


def cell(results):
    """Of {(driver, place): result}, which come last first."""
    results = dict(reversed(results.items()))
    if len(set(results.values())) == 1:
        return next(iter(results.values()))
    by_place = {place: {result for (_, of), result in results.items() if of == place} for _, place in results}
    if all(len(found) == 1 for found in by_place.values()):
        return "; ".join(f"{place} {found.pop()}" for place, found in by_place.items())
    return "; ".join(f"{driver} {place} {result}" for (driver, place), result in results.items())


def jobs_for(libraries, drivers):
    """(CUDA, driver, case, place) of each process."""
    newest = list(drivers)[-1]
    for name in libraries:
        for case, places in CASES.items():
            for place in places:
                if place == "alone":
                    yield name, None, case, place
                else:
                    yield from ((name, driver, case, place) for driver in drivers
                                if driver == newest or case in WITH_EACH_DRIVER)


def probe_all(libraries, drivers):
    """{(case, call): {CUDA: cell}}"""
    jobs = list(jobs_for(libraries, drivers))
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        found = list(pool.map(lambda job: probe(libraries[job[0]], drivers.get(job[1]), job[2], job[3]), jobs))
    cells = {}
    # The newest has the most calls: theirs is the order of the rows.
    for (name, driver, case, place), rows in reversed(list(zip(jobs, found))):
        for call, result in rows.items():
            cells.setdefault((case, call), {}).setdefault(name, {})[driver, place] = result
    ordered = sorted(cells, key=lambda row: list(CASES).index(row[0]))
    return {row: {name: cell(cells[row][name]) if name in cells[row] else "not called" for name in libraries}
            for row in ordered}


def write_table(path, table, names):
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, delimiter="\t", lineterminator="\n", quoting=csv.QUOTE_NONE)
        writer.writerow(["case", "call", *names])
        for (case, call), cells in table.items():
            writer.writerow([case, call, *(cells.get(name, "") for name in names)])


def read_table(path):
    with path.open(encoding="utf-8") as file:
        return {(row["case"], row["call"]): row for row in csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE)}


def differences(table, names):
    """From results.tsv, of those CUDAs that it has."""
    expected = read_table(RESULTS)
    known = [name for name in names if name in next(iter(expected.values()))]
    for row in dict.fromkeys([*expected, *table]):
        for name in known:
            was, now = expected.get(row, {}).get(name), table.get(row, {}).get(name)
            if was != now:
                yield f"{name}, {row[0]}, {row[1]}: {now!r}, not {was!r}"


def required_functions():
    text = (ROOT / "src/inject/cupti/functions.inc").read_text(encoding="utf-8")
    return re.findall(r'^SONDE_CUPTI\(\w+, "(\w+)"', text, re.MULTILINE)


def wrong_assumptions(table, name):
    """What src/inject takes for granted of any CUPTI that it knows, and this one does not keep."""
    def of(case, call):
        return table.get((case, call), {}).get(name, "")

    for function in required_functions():
        if of("functions", function) != "is there":
            yield f"{function}: {of('functions', function)}"
    for call, meant in CALLS.items():
        given = of("names", f"cuptiGetCallbackName({call})")
        if given != f"0, {meant}":
            yield f"{call} is {given}, not {meant}"
    for domain in ("driver", "runtime"):
        if not 0 < int(of("names", f"highest {domain} id")) < MOST_CALLS:
            yield f"{domain} calls have numbers up to {of('names', f'highest {domain} id')}"
    for (case, call), cells in table.items():
        sizes = re.fullmatch(r"(\d+), layouts.cc takes (\d+)", cells.get(name, "")) if case == "records" else None
        if sizes and int(sizes[1]) < int(sizes[2]):
            yield f"{call}: {cells[name]}"
    if of("first", "cuptiGetTimestamp()") != "0, CLOCK_REALTIME":
        yield f"cuptiGetTimestamp() before cuInit(): {of('first', 'cuptiGetTimestamp()')}"
    host = "cuptiProfilerHostInitialize(range profiler, GH100)"
    if of("functions", "cuptiProfilerHostInitialize") == "is there":
        if (of("counters", host), of("counters_with_helpers", host)) != ("15", "0"):
            yield f"{host}: {of('counters', host)} without helpers, {of('counters_with_helpers', host)} with them"
        metrics = "cuptiProfilerHostGetBaseMetrics()"
        if of("counters_with_helpers", metrics) != of("helpers_others_on_path", metrics):
            yield f"{metrics}: {of('helpers_others_on_path', metrics)} with another CUDA's helpers on the loader's path"


def main():
    libraries, drivers = find_libraries(), find_drivers()
    with RemovesDevice():
        table = probe_all(libraries, drivers)
    write_table(RESULTS if "--update" in sys.argv else FOLDER / "results.tsv", table, libraries)
    wrong = [f"{name}: {text}" for name in libraries for text in wrong_assumptions(table, name)]
    wrong += differences(table, libraries)
    print("\n".join(wrong) or f"{len(table)} calls as in results.tsv: CUPTI {', '.join(libraries)}, drivers {', '.join(drivers)}")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
