#!/usr/bin/env python3
"""Tests the comparison itself: a `sonde` that prints the reference's own reports must pass, planted differences must not.

usage: self_test.py   (needs no data: it makes a small nsys export and a small PyTorch trace)
"""

import json
import os
import pathlib
import sqlite3
import stat
import subprocess
import sys
import tempfile
from fractions import Fraction

HERE = pathlib.Path(__file__).resolve().parents[1] / "reference"
sys.path.insert(0, str(HERE))

import compare
import nsys_sql
import occupancy
import pytorch_json
import summary_json
import summary_sql
from nsys_database import open_database
from tables import Report, rounded, union_length

PROCESS = 1 << 48 | 500 << 24
THREAD = PROCESS | 501

FAKE = '''#!{python}
import csv, io, os, shutil, sqlite3, sys
sys.path.insert(0, {here!r})
import tables
if sys.argv[1] == "convert":
    shutil.copy(sys.argv[2], sys.argv[3])
    if os.environ.get("LOSE"):
        db = sqlite3.connect(sys.argv[3])
        db.execute(os.environ["LOSE"])
        db.commit()
    sys.exit()
report, path = sys.argv[sys.argv.index("-r") + 1], sys.argv[-1]
if path.endswith(".sqlite"):
    import nsys_sql as computation
    from nsys_database import open_database as opened
else:
    import pytorch_json as computation
    opened = computation.open_trace
text = tables.to_csv(computation.compute(opened(path), report))
planted, _, title = os.environ.get("PLANTED", "").partition("|")
if planted == report:
    rows = list(csv.reader(io.StringIO(text)))
    column = rows[0].index(title)
    row = next(row for row in rows[1:] if row[column])
    value = row[column]
    row[column] = value + "x" if not value[-1:].isdigit() else value[:-1] + str((int(value[-1]) + 1) % 10)
    out = io.StringIO()
    csv.writer(out, lineterminator="\\n").writerows(rows)
    text = out.getvalue()
sys.stdout.write(text)
if not text:
    sys.stderr.write("SKIPPED: nothing of that kind in the file\\n")
'''


def write_export(path):
    """Two nested ranges and one in another domain around three launches, a copy and a set."""
    db = sqlite3.connect(path)
    db.executescript("""
        CREATE TABLE StringIds(id INTEGER PRIMARY KEY, value TEXT);
        INSERT INTO StringIds VALUES(1, 'void add<int>(int *)'), (2, 'add'), (3, '_Z3addIiEvPi'),
            (4, 'cudaLaunchKernel_v7000'), (5, 'cudaMemcpyAsync_v3020'), (6, 'cuMemsetD32_v2'), (7, 'main'), (8, 'poll');
        CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL(start, end, deviceId, contextId, streamId, correlationId, globalPid,
            demangledName, shortName, mangledName, registersPerThread, gridX, gridY, gridZ, blockX, blockY, blockZ,
            staticSharedMemory, dynamicSharedMemory);
        CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY(start, end, deviceId, contextId, streamId, correlationId, globalPid, bytes,
            copyKind, srcKind, dstKind, virtualAddress);
        CREATE TABLE CUPTI_ACTIVITY_KIND_MEMSET(start, end, deviceId, contextId, streamId, correlationId, globalPid, bytes, memKind);
        CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME(start, end, eventClass, globalTid, correlationId, nameId, returnValue);
        CREATE TABLE NVTX_EVENTS(start, end, eventType, text, globalTid, endGlobalTid, textId, domainId);
        CREATE TABLE OSRT_API(start, end, globalTid, nameId);
        CREATE TABLE ThreadNames(nameId, priority, globalTid);
        CREATE TABLE TARGET_INFO_GPU(id, name, cuDevice, smCount);
        INSERT INTO TARGET_INFO_GPU VALUES(0, 'Adapter', 0, 0), (3, 'Test GPU', 0, 8);
    """)
    kernel = "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES(?, ?, 0, 1, 7, ?, ?, 1, 2, 3, 16, 64, 1, 1, 128, 1, 1, 0, 4096)"
    for start, end, correlation in ((200, 300, 11), (300, 451, 12), (500, 600, 13)):
        db.execute(kernel, (start, end, correlation, PROCESS))
    db.execute("INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY VALUES(620, 720, 0, 1, 7, 14, ?, 4096, 1, 1, 2, NULL)", [PROCESS])
    db.execute("INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY VALUES(900, 930, 0, 0, 0, 0, ?, 8192, 11, 7, 7, 65536)", [PROCESS])
    db.execute("INSERT INTO CUPTI_ACTIVITY_KIND_MEMSET VALUES(730, 740, 0, 1, 7, 15, ?, 64, 2)", [PROCESS])
    api = "INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES(?, ?, ?, ?, ?, ?, 0)"
    calls = [(100, 120, 0, 11, 4), (99, 121, 67, 11, 4), (130, 150, 0, 12, 4), (160, 180, 0, 13, 4), (181, 190, 0, 14, 5),
             (191, 200, 1, 15, 6)]
    for start, end, kind, correlation, name in calls:
        db.execute(api, (start, end, kind, THREAD, correlation, name))
    nvtx = "INSERT INTO NVTX_EVENTS VALUES(?, ?, ?, ?, ?, ?, NULL, ?)"
    for start, end, kind, text, domain in ((1, None, 75, "lib", 5), (90, 210, 59, "step", 0), (95, 151, 59, "forward", 0),
                                           (98, 125, 59, "call", 5), (152, 155, 59, "empty", 0), (90, 300, 60, "epoch", 0)):
        db.execute(nvtx, (start, end, kind, text, THREAD, THREAD if kind == 60 else None, domain))
    db.execute("INSERT INTO OSRT_API VALUES(10, 60, ?, 8)", [THREAD])
    db.execute("INSERT INTO ThreadNames VALUES(7, 20, ?)", [THREAD])
    db.commit()


def write_trace(path):
    """A step, a module and an operator around a launch, two kernels of one name, and a copy whose size is not known."""
    def event(category, name, ts, duration, **arguments):
        return {"ph": "X", "cat": category, "name": name, "pid": 1, "tid": 2, "ts": ts, "dur": duration, "args": arguments}

    document = {"traceEvents": [
        event("user_annotation", "ProfilerStep#1", 1000, 50), event("python_function", "nn.Module: Linear_0", 1001, 40),
        event("python_function", "a.py(1): f", 1000.5, 45), event("cpu_op", "aten::mm", 1002.001, 30.25),
        event("cuda_runtime", "cudaLaunchKernel", 1003, 5.125, correlation=7),
        event("kernel", "mm", 1010.001, 2.002, device=0, stream=7, grid=[4, 1, 1], block=[64, 2, 1]),
        event("Kernel", "mm", 1011, 3, device=0, stream=8, grid=[4, 1, 1], block=[64, 2, 1]),
        event("gpu_memcpy", "Memcpy HtoD (Pinned -> Device)", 1020, 1, device=0, stream=7, bytes=2000000),
        event("gpu_memcpy", "Memcpy DtoH (Device -> Pageable)", 1022, 1.5, device=0, stream=7),
        event("gpu_memset", "Memset (Device)", 1024, 0.5, device=0, stream=7, bytes=16),
        {"ph": "i", "cat": "cpu_instant_event", "name": "[memory]", "ts": 1}, {"ph": "M", "name": "process_name"}]}
    path.write_text(json.dumps(document))


def test_trace_answers(path):
    """Computed by hand from write_trace()."""
    def rows(report):
        return pytorch_json.compute(pytorch_json.open_trace(path), report).rows

    assert rows("cuda_gpu_kern_gb_sum") == [["100.0", "5002", "2", "2501.0", "2501.0", "2002", "3000", "705.7",
                                             "   4    1    1", "  64    2    1", "mm"]]
    assert [row[8] for row in rows("nvtx_pushpop_sum")] == [
        ":ProfilerStep#1", "torch.python:a.py(1): f", "torch.module:nn.Module: Linear_0", "torch.operator:aten::mm"]
    assert rows("nvtx_sum")[3][1] == "30250" and rows("cuda_api_sum")[0][1] == "5125"
    assert rows("cuda_gpu_mem_size_sum") == [
        ["2.000", "1", "2.000", "2.000", "2.000", "2.000", "0.000", "[CUDA memcpy Host-to-Device]"],
        ["0.000", "1", "0.000", "0.000", "0.000", "0.000", "0.000", "[CUDA memset]"]]
    found = summary_json.summary(path)
    assert found["devices"]["0"]["busy_ns"] == 3999 + 1000 + 1500 + 500 and found["devices"]["0"]["kernel_ns"] == 3999
    assert found["copies"]["Device-to-Host"] == {"count": 1, "bytes": None, "time_ns": 1500}
    assert found["span"]["total_ns"] == 50000


def test_summary(path):
    found = summary_sql.summary(path)
    assert found["devices"] == {"0": {"busy_ns": 251 + 100 + 100 + 10 + 30, "kernel_ns": 351, "memset_ns": 10, "kernel_count": 3,
                                      "copy_count": 2, "memset_count": 1, "graph_count": 0}}
    assert found["copies"]["Unified Host-to-Device"] == {"count": 1, "bytes": 8192, "time_ns": 30}
    assert found["span"]["first_ns"] == 10 and found["span_without_os_calls"] == {"first_ns": 90, "last_ns": 930, "total_ns": 840}
    assert union_length([(0, 10), (2, 5), (10, 12), (20, 20), (30, 31)]) == 13


def test_occupancy():
    """What Nsight Compute says of three launches on an A10G, and one that an A10G cannot run."""
    def blocks_warps_limiters(threads, registers, shared, carve_out):
        launch = occupancy.Launch("f", (64, 1, 1), (threads, 1, 1), registers, shared, carve_out, None, occupancy.gpu_of(8, 6))
        return occupancy.occupancy(launch)

    assert blocks_warps_limiters(512, 51, 4096, 16384) == (2, 32, ["registers"])
    assert blocks_warps_limiters(256, 150, 8192, 16384) == (1, 8, ["registers", "shared memory"])
    assert blocks_warps_limiters(1024, 36, 0, 8192) == (1, 32, ["registers", "warps"])
    assert blocks_warps_limiters(1024, 65, 0, None) is None
    assert occupancy.gpu_of(9, 4) is None and occupancy.gpu_of(9, 0, warp_size=64) is None


def rows_of(path, report):
    return nsys_sql.compute(open_database(path), report).rows


def test_known_answers(path):
    """Computed by hand from write_export()."""
    assert rows_of(path, "cuda_gpu_kern_sum") == [
        ["100.0", "351", "3", "117.0", "100.0", "100", "151", "29.4", "void add<int>(int *)"]]
    assert rows_of(path, "cuda_gpu_kern_gb_sum")[0][8:10] == ["  64    1    1", " 128    1    1"]
    assert [row[8] for row in rows_of(path, "cuda_api_sum")] == ["cudaLaunchKernel", "cuMemsetD32_v2", "cudaMemcpyAsync"]
    assert rows_of(path, "cuda_api_sum")[0][1:3] == ["60", "3"]
    copy = rows_of(path, "cuda_gpu_trace")[3]
    assert copy[12:17] == ["0.004", "40960.000", "Pinned", "Device", "Test GPU (0)"], copy
    assert rows_of(path, "cuda_kern_exec_trace")[0][:7] == ["100", "20", "120", "80", "200", "100", "200"]
    projected = {row[0]: row[1:3] + row[8:11] for row in rows_of(path, "nvtx_gpu_proj_trace")}
    assert projected[":step"] == ["200", "540", "5", "0", "1"] and "empty" not in projected
    assert projected["lib:call"] == ["200", "100", "1", "2", "0"]
    assert rows_of(path, "nvtx_pushpop_trace")[2][13] == "----lib:call"
    assert {row[0]: row[4:7] for row in rows_of(path, "nvtx_kern_sum")}[":forward"] == ["1", "2", "251"]
    assert rows_of(path, "um_total_sum") == [["0.008", "", "", "", "0x10000", "0x10000"]]


def test_comparison():
    report = Report(["Name", "Avg"], [["a", rounded(5, 1)], ["b", rounded(5, 1)], ["c", rounded(Fraction(9, 4), 1)]], [1, 1, 2])
    same = [["Name", "Avg"], ["b", "5.0"], ["a", "5.0"], ["c", "2.3"]]
    assert compare.compare(report, same) == (None, 0)
    assert compare.compare(report, same[:3] + [["c", "2.2"]]) == (None, 1), "halves may round either way"
    for wrong in (["c", "2.4"], ["c", "2.25"], ["c", "x"], ["C", "2.3"]):
        assert compare.compare(report, same[:3] + [wrong]).difference
    assert compare.compare(report, same[:3]).difference and compare.compare(report, same + [["d", "1.0"]]).difference
    assert compare.compare(report, [same[0], same[3], same[1], same[2]]).difference, "order matters between keys"
    assert compare.compare(report, []).difference and compare.compare(Report(["Name"], [], []), []) == (None, 0)


def test_ids():
    titles = ("RangeId", "ParentId", "RangeStack")
    report = Report(["Name", *titles], [["a", "1", "", ":1"], ["b", "2", "1", ":1:2"]], [1, 2], titles)
    header = [["Name", *titles]]
    assert compare.compare(report, header + [["a", "70", "", ":70"], ["b", "9", "70", ":70:9"]]) == (None, 0)
    for wrong in (["b", "9", "", ":9"], ["b", "9", "70", ":9"], ["b", "70", "70", ":70:70"]):
        assert compare.compare(report, header + [["a", "70", "", ":70"], wrong]).difference


def run_script(script, folder, *arguments, **settings):
    environment = {**os.environ, "SONDE": str(folder / "sonde"), "SONDE_TEST_DATA": str(folder), **settings}
    command = [sys.executable, str(HERE.parent / "real" / script), *arguments]
    return subprocess.run(command, env=environment, capture_output=True, text=True)


def test_nsys_script(folder):
    good = run_script("nsys_reports.py", folder)
    assert good.returncode == 0 and "0 differ" in good.stdout, good.stdout + good.stderr
    for planted in ("cuda_gpu_kern_sum|Total Time (ns)", "cuda_gpu_kern_occ_sum|Reg/Trd", "cuda_gpu_kern_sum:base|Name", "nvtx_gpu_proj_trace|NumChild",
                    "cuda_gpu_trace|Throughput (MB/s)", "cuda_api_sum|StdDev (ns)", "um_sum|Virtual Address"):
        bad = run_script("nsys_reports.py", folder, PLANTED=planted, REPORT=planted.split("|")[0])
        assert bad.returncode == 1 and "1 differ" in bad.stdout, f"{planted} was not caught\n{bad.stdout}{bad.stderr}"
        print(next(line for line in bad.stdout.splitlines() if line.startswith("    ")).strip()[:120])
    skipped = subprocess.run([sys.executable, str(HERE.parent / "real/nsys_reports.py")], capture_output=True, text=True,
                             env={name: value for name, value in os.environ.items() if name != "SONDE_TEST_DATA"})
    assert skipped.returncode == compare.SKIPPED and "SONDE_TEST_DATA" in skipped.stdout


def test_trace_script(folder):
    good = run_script("pytorch_reports.py", folder)
    assert good.returncode == 0 and "0 differ" in good.stdout, good.stdout + good.stderr
    bad = run_script("pytorch_reports.py", folder, PLANTED="nvtx_sum|Range", REPORT="nvtx_sum")
    assert bad.returncode == 1 and "1 differ" in bad.stdout, bad.stdout


def test_round_trip_script(folder):
    good = run_script("convert_round_trip.py", folder, "small.sqlite")
    assert good.returncode == 0 and "0 differences" in good.stdout, good.stdout + good.stderr
    for loss in ("DELETE FROM NVTX_EVENTS WHERE text = 'empty'", "UPDATE CUPTI_ACTIVITY_KIND_MEMCPY SET srcKind = 0",
                 "UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET shortName = 1"):
        bad = run_script("convert_round_trip.py", folder, "small.sqlite", LOSE=loss)
        assert bad.returncode == 1 and "DIFFERS" in bad.stdout, f"not caught: {loss}"


def write_fake(path):
    path.write_text(FAKE.format(python=sys.executable, here=str(HERE)))
    path.chmod(path.stat().st_mode | stat.S_IXUSR)


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        export, trace = folder / "nsys_sqlite" / "small.sqlite", folder / "kineto" / "small.json"
        for path in (export, trace):
            path.parent.mkdir()
        write_export(export)
        write_trace(trace)
        write_fake(folder / "sonde")
        test_known_answers(export)
        test_comparison()
        test_ids()
        test_trace_answers(trace)
        test_occupancy()
        test_summary(export)
        test_nsys_script(folder)
        test_trace_script(folder)
        test_round_trip_script(folder)
    print("ok")


if __name__ == "__main__":
    main()
