#!/usr/bin/env python3
"""Databases of nvprof, the NVIDIA Visual Profiler and rocprof: what `sonde stats` prints against SQL over the same file.

usage: SONDE_TEST_DATA=FOLDER [SONDE=PROGRAM] other_databases.py
"""

import collections
import csv
import io
import sqlite3
import subprocess
import sys

import pathlib

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "reference"))

import compare

NVPROF = ["nvvp_gpuml__timeline.nvvp", "nvprof_em__analysis.nvprof"]
ROCPROF = ["amd_rocprof__results_83f341a.db", "amd_rocprof__results_83f341a_41afd.db"]
GPU_TABLES = ("CONCURRENT_KERNEL", "KERNEL", "MEMCPY", "MEMCPY2", "MEMSET")


class Check:
    def __init__(self):
        self.values = self.wrong = 0

    def equal(self, what, wanted, found):
        """Compares two multisets of rows."""
        wanted, found = collections.Counter(wanted), collections.Counter(found)
        self.values += sum(wanted.values())
        if wanted != found:
            self.wrong += 1
            print(f"DIFFERS {what}: missing {list((wanted - found).items())[:3]}, extra {list((found - wanted).items())[:3]}")


def printed(path, report):
    """Rows of a report as dicts; none where the report has nothing to print."""
    done = compare.run_sonde("stats", "-q", "-f", "csv", "-r", report, path)
    return list(csv.DictReader(io.StringIO(done.stdout)))


def opened(path):
    return sqlite3.connect(f"file:{path}?immutable=1", uri=True)


def rows(database, table, columns):
    have = {row[1] for row in database.execute(f"PRAGMA table_info('{table}')")}
    if not have:
        return []
    return database.execute(f"SELECT {', '.join(c if c.strip(chr(34)) in have else '0' for c in columns)} FROM {table}").fetchall()


def first_time(database):
    """The earliest time of any record that has one."""
    earliest = []
    for (table,) in database.execute("SELECT name FROM sqlite_master WHERE type = 'table' AND name LIKE 'CUPTI_%'").fetchall():
        for column in database.execute(f"PRAGMA table_info({table})").fetchall():
            if column[1] in ("start", "timestamp") and "ENVIRONMENT" not in table:
                value = database.execute(f"SELECT min({column[1]}) FROM {table} WHERE {column[1]} > 0").fetchone()[0]
                earliest += [value] if value else []
    return min(earliest)


def declared(names):
    """Mangled names as binutils' c++filt declares them; a name without its prefix stays."""
    names = list(names)
    done = subprocess.run(["c++filt"], input="\n".join(names), capture_output=True, text=True, check=True)
    return dict(zip(names, done.stdout.splitlines()))


def number(text):
    return int(float(text)) if text else 0


def check_nvprof(path, check):
    database = opened(path)
    origin = first_time(database)
    strings = dict(database.execute("SELECT _id_, value FROM StringTable"))
    names = declared(strings.values())
    kernels, others = [], []
    for table in GPU_TABLES:
        columns = ["start", "end", "correlationId", "contextId", "streamId"]
        if "KERNEL" in table:
            shape = ["gridX", "gridY", "gridZ", "blockX", "blockY", "blockZ", "registersPerThread", "name"]
            for start, end, *rest, name in rows(database, f"CUPTI_ACTIVITY_KIND_{table}", columns + shape):
                kernels.append((start - origin, end - start, *rest, names[strings[name]]))
        else:
            for start, end, *rest in rows(database, f"CUPTI_ACTIVITY_KIND_{table}", columns):
                others.append((start - origin, end - start, *rest))
    trace = printed(path, "cuda_gpu_trace")
    place = ("CorrId", "Ctx", "Strm")
    shape = ("GrdX", "GrdY", "GrdZ", "BlkX", "BlkY", "BlkZ", "Reg/Trd")
    is_kernel = lambda row: row["GrdX"] != ""
    times = lambda row: (number(row["Start (ns)"]), number(row["Duration (ns)"]))
    check.equal(f"kernels of {path.name}", kernels,
                [(*times(r), *(number(r[c]) for c in place + shape), r["Name"]) for r in trace if is_kernel(r)])
    check.equal(f"copies and memsets of {path.name}", others,
                [(*times(r), *(number(r[c]) for c in place)) for r in trace if not is_kernel(r)])
    calls, found = [], []
    for table in ("RUNTIME", "DRIVER"):
        columns = ["start", "end", "correlationId", "returnValue", "processId", "threadId"]
        for start, end, *rest, thread in rows(database, f"CUPTI_ACTIVITY_KIND_{table}", columns):
            calls.append((start - origin, end - start, *rest, thread % 2**32))
    for r in printed(path, "cuda_api_trace"):
        found.append((*times(r), *(number(r[c]) for c in ("CorrID", "Result", "Pid", "Tid"))))
    check.equal(f"API calls of {path.name}", calls, found)
    # Each callback ID has one name, and each name one callback ID.
    by_id = collections.Counter()
    for table in ("RUNTIME", "DRIVER"):
        for (callback,) in rows(database, f"CUPTI_ACTIVITY_KIND_{table}", ["cbid"]):
            by_id[table, callback] += 1
    by_name = collections.Counter(r["Name"] for r in printed(path, "cuda_api_trace"))
    check.equal(f"counts of calls of {path.name}", by_id.values(), by_name.values())


def check_rocprof(path, check):
    database = opened(path)
    columns = ["BeginNs", "EndNs", "grd", "wgr", "arch_vgpr", '"queue-id"', "KernelName"]
    wanted = rows(database, "KERN", columns)
    origin = min(row[0] for row in wanted)
    plain = lambda name: name.strip('"').removesuffix(" [clone .kd]").removesuffix(".kd")
    names = declared({plain(row[-1]) for row in wanted})
    check.equal(f"kernels of {path.name}",
                [(b - origin, e - b, g // w, w, v, q, names[plain(n)]) for b, e, g, w, v, q, n in wanted],
                [(*(number(r[c]) for c in ("Start (ns)", "Duration (ns)", "GrdX", "BlkX", "Reg/Trd", "Strm")), r["Name"])
                 for r in printed(path, "cuda_gpu_trace")])


def main():
    folder = compare.data_folder("pairs")
    check = Check()
    for name in NVPROF:
        check_nvprof(folder / name, check)
    for name in ROCPROF:
        check_rocprof(folder / name, check)
    print(f"{check.values} rows, {check.wrong} groups that differ")
    return 1 if check.wrong or not check.values else 0


if __name__ == "__main__":
    sys.exit(main())
