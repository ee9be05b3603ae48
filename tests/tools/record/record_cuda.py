#!/usr/bin/env python3
"""Checks that a profile contains a program's GPU work, with CUPTI of each version: through the stand-in for CUDA,
against the program's own account."""

import csv
import io
import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "shared"))
from _cuda import ADD, FAKES, GEMM, LATEST, PROGRAM, VERSIONS, Cuda, accounts, alone, environment, record
from _recorded import SONDE, TOOLS, check

ASKED = ("11.8", "12.0", "12.4", "13.4")  # these take a clock of the client's choice, and it does them no harm
LONGEST_OFFSET_NS = 1_000_000  # of others the offset is measured


def without_what_differs(text):
    """A program's output but for what no two runs share."""
    lines = [json.loads(line) for line in text.splitlines()]
    return [{key: value for key, value in line.items() if key not in ("pid", "last_end", "is_listened")} for line in lines]


def compare(recorded, account, where):
    for key, found in (("kernels", recorded.kernels()), ("copies", recorded.copies()), ("sets", recorded.sets())):
        check(found == account[key], f"{where}: {key} {found}, not {account[key]}")


def launches(recorded):
    """{(globalPid, correlationId): [(name, start, globalTid)]} of the API."""
    calls = {}
    for name, start, thread, correlation in recorded.rows(
            "SELECT value, start, globalTid, correlationId FROM CUPTI_ACTIVITY_KIND_RUNTIME JOIN StringIds ON id = nameId"):
        calls.setdefault((thread & ~0xFFFFFF, correlation), []).append((name, start, thread))
    return calls


def check_correlation(recorded, thread):
    """All work has its call, on that thread (the process of its own work where None)."""
    calls = launches(recorded)
    wanted = {"KERNEL": "cudaLaunchKernel_v7000", "MEMCPY": "cudaMemcpyAsync_v3020", "MEMSET": "cudaMemsetAsync_v3020"}
    for table, start, _, process, _, correlation in recorded.work():
        found = [call for call in calls.get((process, correlation), []) if call[0] == wanted[table]]
        check(len(found) == 1, f"{table} at {start}: calls {calls.get((process, correlation))}")
        check(found[0][1] <= start, f"{table} begins at {start}, before its call {found}")
        check(thread is None or found[0][2] & 0xFFFFFF == thread, f"the thread of {found}")


def check_clock(recorded, account, version):
    last = max(end for _, _, end, *_ in recorded.work()) + recorded.clock_at_start()
    limit = 0 if version in ASKED else LONGEST_OFFSET_NS
    check(abs(last - account["last_end"]) <= limit, f"{version}: the last operation ended at {account['last_end']}, not {last}")


def plain(folder, version):
    path = folder / "plain.sqlite"
    run = record(path, "plain", 5, version=version)
    (account,) = accounts(run)
    recorded = Cuda(path)
    check(run.returncode == 0 and "warning" not in run.stderr, run.stderr)
    check(without_what_differs(run.stdout) == without_what_differs(alone("plain", 5).stdout), run.stdout)
    compare(recorded, account, version)
    check_correlation(recorded, account["pid"])
    check_clock(recorded, account, version)
    check({row[4] for row in recorded.work()} == {7}, "the default stream")
    check(recorded.counts() == {"step 0": 3, "step 1": 2, "forward": 5}, recorded.counts())
    api = recorded.api()
    wanted = {"cudaLaunchKernel_v7000": 10, "cudaMemcpyAsync_v3020": 10, "cudaMemsetAsync_v3020": 5,
              "cudaStreamSynchronize_v3020": 5, "cudaDeviceSynchronize_v3020": 1}
    check({name: api.get(name) for name in wanted} == wanted, api)
    names(recorded)
    shape(recorded)
    waits(recorded)
    in_ranges(recorded)


def names(recorded):
    found = recorded.rows("SELECT DISTINCT m.value, d.value, s.value FROM CUPTI_ACTIVITY_KIND_KERNEL JOIN StringIds m ON "
                          "m.id = mangledName JOIN StringIds d ON d.id = demangledName JOIN StringIds s ON s.id = shortName "
                          "ORDER BY 3 DESC")
    check(found == [(ADD, "vector_add(const float *, const float *, float *, int)", "vector_add"),
                    (GEMM, "void blas::gemm<float, (int)128>(const T1 *, const T1 *, T1 *, int)", "gemm")]
          or found == [(ADD, "vector_add(float const*, float const*, float*, int)", "vector_add"),
                       (GEMM, "void blas::gemm<float, 128>(float const*, float const*, float*, int)", "gemm")], found)


def shape(recorded):
    found = recorded.rows("SELECT gridX, gridY, gridZ, blockX, blockY, blockZ, registersPerThread, staticSharedMemory, "
                          "dynamicSharedMemory, localMemoryPerThread, deviceId, contextId FROM CUPTI_ACTIVITY_KIND_KERNEL "
                          "JOIN StringIds ON id = mangledName WHERE value = ? GROUP BY 1, 2, 3, 4, 5, 6, 7, 8, 9, 10", GEMM)
    check(found == [(120, 2, 3, 128, 4, 1, 128, 49152, 1024, 8, 0, 1)], found)
    ((name, processors),) = recorded.rows("SELECT name, smCount FROM TARGET_INFO_GPU WHERE cuDevice = 0 OR id = 0 LIMIT 1")
    check((name, processors) == ("Stand-in GPU", 100), (name, processors))
    ((places,),) = recorded.rows("SELECT count(coalesce(srcDeviceId, dstDeviceId, srcContextId, dstContextId)) FROM "
                                 "CUPTI_ACTIVITY_KIND_MEMCPY")
    check(places == 0, "copies between host and GPU have no second GPU")
    kinds = recorded.rows("SELECT DISTINCT copyKind, srcKind, dstKind FROM CUPTI_ACTIVITY_KIND_MEMCPY ORDER BY 1")
    check(kinds == [(1, 0, 2), (2, 2, 0)], f"kinds of memory, as nsys numbers them: {kinds}")


def resets(folder, version):
    """Contexts that lie where a destroyed one lay keep apart."""
    path = folder / "resets.sqlite"
    run = record(path, "resets", 3, version=version, options=["--cudabacktrace=all:0"])
    (account,) = accounts(run)
    recorded = Cuda(path)
    check(run.returncode == 0 and "warning" not in run.stderr, run.stderr)
    compare(recorded, account, version)
    kernels = recorded.rows("SELECT contextId, count(*) FROM CUPTI_ACTIVITY_KIND_KERNEL GROUP BY 1")
    check(kernels == [(1, 2), (2, 2), (3, 2)], (version, kernels))
    known = recorded.rows("SELECT contextId FROM TARGET_INFO_CUDA_CONTEXT_INFO ORDER BY 1")
    check(known == [(1,), (2,), (3,)], (version, known))
    ((calls, chains),) = recorded.rows("SELECT count(*), count(callchainId) FROM CUPTI_ACTIVITY_KIND_RUNTIME JOIN StringIds "
                                       "ON id = nameId WHERE value = 'cudaLaunchKernel_v7000'")
    check(calls == chains == 6, (version, calls, chains))


def waits(recorded):
    """Five waits for the default stream and one for all: by their shape, as syncType is not to be trusted."""
    none = 0xFFFFFFFF
    found = recorded.rows("SELECT streamId, count(*) FROM CUPTI_ACTIVITY_KIND_SYNCHRONIZATION GROUP BY 1 ORDER BY 1")
    check([(stream, count) for stream, count in found if stream not in (None, none)] == [(7, 5)] and
          sum(count for _, count in found) == 6, found)


def in_ranges(recorded):
    """Each kernel's launch lies in a range of its thread."""
    ((outside,),) = recorded.rows(
        "SELECT count(*) FROM CUPTI_ACTIVITY_KIND_KERNEL k JOIN CUPTI_ACTIVITY_KIND_RUNTIME r ON r.correlationId = "
        "k.correlationId WHERE NOT EXISTS (SELECT 1 FROM NVTX_EVENTS n WHERE n.text = 'forward' AND n.globalTid = "
        "r.globalTid AND n.start <= r.start AND n.end >= r.end)")
    check(outside == 0, f"{outside} launches outside of their ranges")


def streams(folder, version):
    path = folder / "streams.sqlite"
    (account,) = accounts(record(path, "streams", 4, version=version))
    recorded = Cuda(path)
    compare(recorded, account, version)
    check([count for (count,) in recorded.rows("SELECT count(*) FROM CUPTI_ACTIVITY_KIND_KERNEL GROUP BY streamId")] == [4, 4],
          "streams")
    found = recorded.rows("SELECT DISTINCT streamId FROM CUPTI_ACTIVITY_KIND_KERNEL ORDER BY 1")
    check(found == [(13,), (14,)], found)
    peer_copies(recorded, path)
    ((overlaps,),) = recorded.rows(
        "SELECT count(*) FROM CUPTI_ACTIVITY_KIND_KERNEL a JOIN CUPTI_ACTIVITY_KIND_KERNEL b ON a.streamId = b.streamId AND "
        "a.start < b.start AND b.start < a.end")
    check(overlaps == 0, "kernels of a stream come one behind the other")


def peer_copies(recorded, path):
    """Both GPUs of a copy from one to the other, with their contexts; other copies have one GPU only. `sonde convert` keeps
    them."""
    found = recorded.rows("SELECT deviceId, srcDeviceId, dstDeviceId, srcContextId = contextId, dstContextId <> contextId "
                          "FROM CUPTI_ACTIVITY_KIND_MEMCPY WHERE copyKind = 10")
    check(found == [(0, 0, 1, 1, 1)], found)
    contexts = dict(recorded.rows("SELECT contextId, deviceId FROM TARGET_INFO_CUDA_CONTEXT_INFO"))
    ((context,),) = recorded.rows("SELECT dstContextId FROM CUPTI_ACTIVITY_KIND_MEMCPY WHERE copyKind = 10")
    check(contexts.get(context, 1) == 1, (context, contexts))
    copy = path.with_name("copy_of_streams.sqlite")
    subprocess.run([SONDE, "convert", path, copy], check=True, capture_output=True)
    again = Cuda(copy).rows("SELECT deviceId, srcDeviceId, dstDeviceId, srcContextId = contextId, dstContextId <> contextId "
                            "FROM CUPTI_ACTIVITY_KIND_MEMCPY WHERE copyKind = 10")
    check(again == found, again)


def graphs(folder, version):
    """As a whole, and node by node; CUPTI of CUDA 11.4 knows no whole graphs."""
    path = folder / "graph.sqlite"
    run = record(path, "graph", 6, version=version)
    check("have no kernel in the recording" not in run.stderr, f"captured launches count: {run.stderr}")
    recorded = Cuda(path)
    (account,) = accounts(run)
    if version == "11.4":
        compare(recorded, account, version)
    else:
        check(not recorded.kernels() and not recorded.sets()[0], "nodes beside their graph")
        found = recorded.rows("SELECT count(*), sum(end - start >= 170000), count(DISTINCT graphExecId), count(DISTINCT "
                              "correlationId), min(streamId) FROM CUPTI_ACTIVITY_KIND_GRAPH_TRACE")
        check(found == [(6, 6, 1, 6, 13)] or found == [(6, 6, 0, 6, 13)], found)
        calls = launches(recorded)
        for process, correlation in recorded.rows("SELECT globalPid, correlationId FROM CUPTI_ACTIVITY_KIND_GRAPH_TRACE"):
            check("cudaGraphLaunch_v10000" in [name for name, *_ in calls[process, correlation]], "a graph's call")

    graph_creation(recorded, version)
    path = folder / "nodes.sqlite"
    run = record(path, "graph", 6, version=version, options=["--cuda-graph-trace=node"])
    recorded = Cuda(path)
    (account,) = accounts(run)
    compare(recorded, account, version)
    ((nodes, launched),) = recorded.rows("SELECT count(DISTINCT graphNodeId), count(DISTINCT correlationId) FROM "
                                         "CUPTI_ACTIVITY_KIND_KERNEL WHERE graphNodeId IS NOT NULL")
    check((nodes, launched) == (2, 6), f"{nodes} nodes, {launched} launches")


def graph_creation(recorded, version):
    """When graphs and executable ones came to be, and which of them each launch is of."""
    found = recorded.rows("SELECT value, eventClass, graphId, graphExecId, originalGraphId, start, end, globalTid FROM "
                          "CUDA_GRAPH_EVENTS JOIN StringIds ON id = nameId ORDER BY start")
    check([row[:2] for row in found] == [("Graph Creation", 95), ("GraphExec Creation", 94)], (version, found))
    (_, _, graph, none, *_), (_, _, original, executable, *_) = found
    check(graph == original and none is None and executable not in (None, graph), (version, found))
    for (*_, start, end, thread), call in zip(found, ("cudaStreamBeginCapture_v10000", "cudaGraphInstantiate_v10000")):
        around = recorded.rows("SELECT count(*) FROM CUPTI_ACTIVITY_KIND_RUNTIME JOIN StringIds ON id = nameId WHERE value = ? "
                               "AND start <= ? AND end >= ? AND globalTid = ?", call, start + LONGEST_OFFSET_NS,
                               end - LONGEST_OFFSET_NS, thread)
        check(around == [(1,)], (version, call, found, recorded.api()))
    if version != "11.4":
        launched = recorded.rows("SELECT DISTINCT graphId, graphExecId FROM CUPTI_ACTIVITY_KIND_GRAPH_TRACE")
        check(launched == [(graph, executable)], (version, launched))


def event_times(folder, version):
    """When the GPU came to events, where that was asked for: behind what stands before them in their stream, and before what
    waits for them is over."""
    path = folder / "events.sqlite"
    run = record(path, "streams", 4, version=version, options=["--cuda-event-trace=true"])
    recorded = Cuda(path)
    times = [time for (time,) in recorded.rows("SELECT timestamp FROM CUPTI_ACTIVITY_KIND_CUDA_EVENT ORDER BY correlationId")]
    check(len(times) == 4, times)
    if VERSIONS.index(version) >= VERSIONS.index("12.8"):
        kernels = recorded.rows("SELECT end FROM CUPTI_ACTIVITY_KIND_KERNEL JOIN StringIds ON id = mangledName WHERE value = ? "
                                "ORDER BY start", ADD)
        waits = recorded.rows("SELECT end FROM CUPTI_ACTIVITY_KIND_RUNTIME JOIN StringIds ON id = nameId WHERE value LIKE "
                              "'cudaEventSynchronize%' ORDER BY start")
        check(len(kernels) == len(waits) == 4, (kernels, waits))
        between = [kernel <= time <= wait for (kernel,), time, (wait,) in zip(kernels, times, waits)]
        check(all(between), (version, kernels, times, waits))
        check("warning" not in run.stderr, run.stderr)
    else:
        check(times == [0] * 4 and "times of CUDA events: CUPTI provides them since" in run.stderr, (version, times, run.stderr))
    without = Cuda(folder / "streams.sqlite").rows("SELECT DISTINCT timestamp FROM CUPTI_ACTIVITY_KIND_CUDA_EVENT")
    check(without == [(0,)], without)


def memory(folder, version):
    path = folder / "memory.sqlite"
    record(path, "memory", 4, version=version, options=["--cuda-memory-usage=true"])
    found = Cuda(path).rows("SELECT memoryOperationType, bytes, count(*) FROM CUDA_GPU_MEMORY_USAGE_EVENTS GROUP BY 1, 2 "
                            "ORDER BY 1, 2")
    operations = sorted({row[0] for row in found})
    check(len(operations) == 2, found)
    counts = [(operations.index(operation), size, count) for operation, size, count in found]
    check(counts == [(0, 1_000_000, 4), (0, 2_000_000, 4), (0, 3_000_000, 1), (1, 1_000_000, 4), (1, 2_000_000, 4)], counts)
    ((taken, freed),) = Cuda(path).rows(
        "SELECT count(DISTINCT a.address), count(DISTINCT f.address) FROM CUDA_GPU_MEMORY_USAGE_EVENTS a LEFT JOIN "
        "CUDA_GPU_MEMORY_USAGE_EVENTS f ON f.address = a.address AND f.memoryOperationType <> a.memoryOperationType")
    check((taken, freed) == (9, 8), (taken, freed))
    path = folder / "no_memory.sqlite"
    record(path, "memory", 4, version=version)
    check(not Cuda(path).rows("SELECT * FROM CUDA_GPU_MEMORY_USAGE_EVENTS"), "memory that nobody asked for")


def managed(folder, version):
    path = folder / "managed.sqlite"
    run = record(path, "managed", 3, version=version, options=["--cuda-um-gpu-page-faults=true"])
    (account,) = accounts(run)
    recorded = Cuda(path)
    check(recorded.kernels() == account["kernels"], recorded.kernels())
    found = {kind: row[:2] for kind, row in recorded.copies().items()}
    check(found == {"11": [3, 3 << 16], "12": [3, 3 << 16]}, f"migrations, of 6: {found}")
    faults = recorded.rows("SELECT count(*), sum(numberOfPageFaults) FROM CUDA_UM_GPU_PAGE_FAULT_EVENTS")
    check(faults == [(3, 21)], faults)


def several_processes(folder, version):
    path = folder / "processes.sqlite"
    both = accounts(record(path, "processes", 3, version=version))
    recorded = Cuda(path)
    for account in both:
        found = recorded.rows("SELECT count(*), sum(end - start) FROM CUPTI_ACTIVITY_KIND_KERNEL WHERE (globalPid >> 24) & "
                              "0xFFFFFF = ?", account["pid"])
        wanted = [tuple(sum(row[i] for row in account["kernels"].values()) for i in (0, 1))]
        check(found == wanted, f"process {account['pid']}: {found}, not {wanted}")
    check(len({account["pid"] for account in both}) == 2, "two processes")
    check_correlation(recorded, None)


def without_wiping(folder):
    """On a kernel that cannot zero pages in children of fork(), as gVisor's, each process is recorded all the same."""
    for mode in ("processes", "forks"):
        path = folder / f"{mode}_without_wiping.sqlite"
        command = [SONDE, "record", "-t", "cuda,nvtx", "-o", path, "--", TOOLS / "no_wipe", PROGRAM, mode, 3]
        run = subprocess.run(list(map(str, command)), capture_output=True, text=True, check=True, env=environment())
        check("could not be recorded" not in run.stderr, run.stderr)
        found = dict(Cuda(path).rows("SELECT (globalPid >> 24) & 0xFFFFFF, count(*) FROM CUPTI_ACTIVITY_KIND_KERNEL GROUP BY 1"))
        wanted = {account["pid"]: sum(row[0] for row in account["kernels"].values()) for account in accounts(run)}
        check(found == wanted and wanted, f"{mode}: {found}, not {wanted}")


def sanitized(folder):
    """A program that is built with a sanitizer ends as alone, and is recorded, also by threads of the recorder's own."""
    # g++ 12's search for leaks takes TLS that lies 16 bytes into a page for memory, and fails: not of our making.
    settings = environment() | {"ASAN_OPTIONS": "detect_leaks=0"}
    for sanitizer in ("address", "thread"):
        path = folder / f"{sanitizer}.sqlite"
        command = [SONDE, "record", "-t", "cuda,nvtx,osrt", "-o", path, "--",
                   TOOLS / f"cuda_program_{sanitizer}", "plain", 3]
        run = subprocess.run(list(map(str, command)), capture_output=True, text=True, check=False, env=settings)
        check(run.returncode == 0, f"{sanitizer}: ended with {run.returncode}: {run.stderr}")
        compare(Cuda(path), accounts(run)[0], sanitizer)


def threads(folder, version):
    path = folder / "threads.sqlite"
    (account,) = accounts(record(path, "threads", 5, version=version))
    recorded = Cuda(path)
    compare(recorded, account, version)
    check_correlation(recorded, None)
    calls = launches(recorded)
    by_stream = {}
    for _, _, _, process, stream, correlation in recorded.work():
        by_stream.setdefault(stream, set()).add(calls[process, correlation][0][2])
    check(len(by_stream) == 4 and all(len(owners) == 1 for owners in by_stream.values()), by_stream)
    check(len(set.union(*by_stream.values())) == 4, "each thread has a stream of its own")
    ranges = {thread for *_, thread in recorded.ranges()}
    check(ranges == set.union(*by_stream.values()), "NVTX and CUDA give the same threads")


def other_program(folder, version):
    """What the first one did more than a second before it became the other is there, and that some may be missing is said."""
    path = folder / "exec.sqlite"
    both = accounts(record(path, "exec", 3, version=version))
    recorded = Cuda(path)
    check(recorded.has_remark("1 process", "CUPTI may not have delivered"), recorded.remarks())
    wanted = {name: [2 * count, 2 * ns] for name, (count, ns) in both[0]["kernels"].items()}
    check(len(both) == 2 and recorded.kernels() == wanted, recorded.kernels())


def commands_read_it(folder):
    """The profile is one of nsys's form: Sonde's own commands show the same figures."""
    path = folder / "plain.sqlite"
    run = subprocess.run([SONDE, "stats", "-r", "cuda_gpu_kern_sum", "--format", "csv", path], capture_output=True, text=True,
                         check=True)
    found = {row["Name"]: (row["Instances"], row["Total Time (ns)"]) for row in csv.DictReader(io.StringIO(run.stdout))}
    check(sorted(found.values()) == [("5", "100000"), ("5", "750000")], run.stdout)
    for words, shown in ((["summary"], "gemm"), (["why"], "on 1 GPU"), (["modules"], "forward")):
        done = subprocess.run([SONDE, *words, path], capture_output=True, text=True, check=False)
        check(done.returncode in ((0, 3) if words == ["why"] else (0,)) and shown in done.stdout, (words, done.stdout, done.stderr))


def future(folder):
    """A CUPTI whose records nobody here knows is refused; the rest is recorded."""
    path = folder / "future.sqlite"
    run = record(path, "plain", 2, version="future")
    recorded = Cuda(path)
    check(run.returncode == 0 and not recorded.kernels() and not recorded.api(), recorded.kernels())
    check(recorded.counts() == {"step 0": 1, "step 1": 1, "forward": 2}, recorded.counts())
    check(recorded.has_remark("CUPTI", "99.0.0"), recorded.remarks())


def back_traces(folder):
    """Where in the program each call comes from: at least the runtime library, a function of the program and main()."""
    path = folder / "chains.sqlite"
    run = record(path, "plain", 5, options=["--cudabacktrace=all:0"])
    (account,) = accounts(run)
    recorded = Cuda(path)
    ((calls, with_chain),) = recorded.rows("SELECT count(*), count(callchainId) FROM CUPTI_ACTIVITY_KIND_RUNTIME WHERE nameId "
                                           "IN (SELECT id FROM StringIds WHERE value LIKE 'cuda%')")
    check(calls == with_chain == account["api_calls"], f"{with_chain} of {calls} calls have one, of {account['api_calls']}")
    shallow = recorded.rows("SELECT id FROM CUDA_CALLCHAINS GROUP BY id HAVING count(*) < 3")
    check(not shallow, f"chains that do not lead to main(): {shallow}")


def found(folder):
    """CUPTI is taken where the loader finds it; one that the program has already is the one that is taken."""
    ((on_path,), (loaded,)) = ((FAKES / version).glob("libcupti*") for version in (LATEST, "12.0"))
    without = {key: value for key, value in environment().items() if key != "SONDE_CUPTI"}
    path = f"{FAKES / 'driver'}:{on_path.parent}"
    for name, variables, wanted in (("path", without | {"LD_LIBRARY_PATH": path}, on_path),
                                    ("loaded", without | {"LD_PRELOAD": str(loaded)}, loaded)):
        output = folder / f"{name}.sqlite"
        run = subprocess.run([SONDE, "record", "-t", "cuda", "-o", output, "--", PROGRAM, "plain", "2"], env=variables,
                             capture_output=True, text=True, check=False)
        recorded = Cuda(output)
        check(recorded.kernels() == accounts(run)[0]["kernels"], (name, run.stderr))
        check(recorded.has_remark(wanted.name), (name, recorded.remarks()))


def with_os_calls(folder):
    """What is recorded where nothing was chosen; the recorder's own thread is none of the program's."""
    path = folder / "default.sqlite"
    run = subprocess.run([SONDE, "record", "-o", path, "--", PROGRAM, "paced", "100"], env=environment(),
                         capture_output=True, text=True, check=False)
    recorded = Cuda(path)
    (account,) = accounts(run)
    compare(recorded, account, "default")
    sleeps = recorded.calls("nanosleep") + recorded.calls("clock_nanosleep")
    check(len(sleeps) == 100 and {thread & 0xFFFFFF for _, _, thread, _ in sleeps} == {account["pid"]}, len(sleeps))


def crowd(folder):
    """Threads that all hold a buffer of CUPTI's, each with its records."""
    for version in ("12.8", "13.0"):
        path = folder / f"crowd{version}.sqlite"
        (account,) = accounts(record(path, "crowd", 300, version=version, traces="cuda"))
        check(Cuda(path).kernels() == account["kernels"], (version, Cuda(path).kernels(), account))


def many(folder):
    """A million kernels, as fast as they are launched: all of them, or it says how many not."""
    path = folder / "many.sqlite"
    run = record(path, "many", 1_000_000, traces="cuda")
    recorded = Cuda(path)
    (account,) = accounts(run)
    ((arrived,),) = recorded.rows("SELECT count(*) FROM CUPTI_ACTIVITY_KIND_KERNEL")
    dropped = re.findall(r"thread in the program, was too slow: (\d+)|(\d+) records were dropped by CUPTI", run.stderr)
    if dropped:  # a machine that is too busy for the recorder: then each is counted
        count = sum(int(number) for pair in dropped for number in pair if number)
        check(1_000_000 - count <= arrived < 1_000_000, f"{arrived} kernels: {run.stderr}")
    else:
        check(arrived == 1_000_000 and recorded.kernels() == account["kernels"], f"{arrived} kernels: {run.stderr}")


def main():
    with tempfile.TemporaryDirectory() as name:
        for version in VERSIONS:
            folder = Path(name) / version
            folder.mkdir()
            parts = (plain, streams, event_times, graphs, memory, managed, several_processes, threads, resets,
                     other_program)
            for part in parts:
                part(folder, version)
            print(f"CUPTI of CUDA {version}: {', '.join(part.__name__ for part in parts)}: ok", flush=True)
        for part in (without_wiping, sanitized, future, back_traces, found, with_os_calls, crowd, many):
            print(f"{part.__name__}: {part(Path(name)) or 'ok'}", flush=True)
        print(f"commands_read_it: {commands_read_it(Path(name) / LATEST) or 'ok'}")


if __name__ == "__main__":
    main()
