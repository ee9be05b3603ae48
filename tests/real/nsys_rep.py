#!/usr/bin/env python3
"""Native Nsight Systems reports as Sonde reads them, field by field against an independent decoder of the same files.

usage: SONDE_TEST_DATA=FOLDER [SONDE=PROGRAM] nsys_rep.py [PART OF A FILE NAME]...
The decoder is tools/decode_nsys.py beside the folder. Where a report's SQLite export lies in FOLDER/nsys_sqlite, the two
are compared too (tools/compare_nsys).
"""

import pathlib
import sqlite3
import subprocess
import sys
import tempfile
from collections import Counter

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "reference"))

import compare

OVERHEAD_CLASSES = (3, 103)  # both in one table of the conversion, whose schema tells them apart by what a trace leaves out
OS_CLASSES = (27, 31, 32)
UNREAD_CLASSES = (102,)  # CUPTI_ACTIVITY_KIND_JIT, which Sonde counts as not read


def signed(value):
    return value - (1 << 64) if value is not None and value >= 1 << 63 else value


class Converted:
    """The tables of `sonde convert`, string ids replaced by texts."""

    def __init__(self, path):
        self.db = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
        self.strings = dict(self.db.execute("SELECT id, value FROM StringIds"))
        self.tables = {name for (name,) in self.db.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}

    def rows(self, table, columns):
        if table not in self.tables:
            return Counter()
        names = columns.split()
        texts = [n in ("demangledName", "shortName", "mangledName", "nameId") for n in names]
        selected = ", ".join(f'"{n}"' for n in names)
        return Counter(
            tuple(self.strings.get(v) if text else v for text, v in zip(texts, row))
            for row in self.db.execute(f'SELECT {selected} FROM "{table}"')
        )

    def chains(self, events, table, columns):
        """Rows of a table of events with their frames (symbol, module) instead of the chain's id."""
        frames = {}
        if table in self.tables:
            query = f'SELECT id, symbol, module FROM "{table}" ORDER BY id, stackDepth'
            for chain, symbol, module in self.db.execute(query):
                frames.setdefault(chain, []).append((self.strings.get(symbol), self.strings.get(module)))
        return Counter((*row[:-1], tuple(frames.get(row[-1], ()))) for row in self.rows(events, columns).elements())


def gpu_row(r, *more):
    return (signed(r["start"]), signed(r["end"]), r["dev"], r["ctx"], r["stream"], r["corr"], r["pid"], *more)


GPU = "start end deviceId contextId streamId correlationId globalPid "


def checks(d, report, text, mine):
    """(what, rows of the decoder, rows of Sonde) for each kind of event."""
    yield "kernels", Counter(
        gpu_row(k, text(k["name"]), text(k["short"]), text(k["mangled"]), *k["grid"], *k["block"], k["regs"], k["static_smem"],
                k["dyn_smem"], k["local_total"], k["smem_exec"]) for k in report.kernels
    ), mine.rows("CUPTI_ACTIVITY_KIND_KERNEL", GPU + "demangledName shortName mangledName gridX gridY gridZ blockX blockY "
                 "blockZ registersPerThread staticSharedMemory dynamicSharedMemory localMemoryTotal sharedMemoryExecuted")  # fmt: skip
    yield "copies", Counter(gpu_row(m, m["bytes"], m["kind"], m["src"], m["dst"]) for m in report.memcpy), mine.rows(
        "CUPTI_ACTIVITY_KIND_MEMCPY", GPU + "bytes copyKind srcKind dstKind")  # fmt: skip
    yield "sets", Counter(gpu_row(m, m["bytes"], m["value"], m["mem"]) for m in report.memset), mine.rows(
        "CUPTI_ACTIVITY_KIND_MEMSET", GPU + "bytes value memKind")  # fmt: skip
    yield "synchronizations", Counter(gpu_row(s, s["sync_type"], s["event"]) for s in report.sync), mine.rows(
        "CUPTI_ACTIVITY_KIND_SYNCHRONIZATION", GPU + "syncType eventId")  # fmt: skip
    yield from checks_of_calls(report, text, mine)
    yield from checks_of_processors(d, report, text, mine)
    yield from checks_of_raw_events(d, report, mine)


def checks_of_calls(report, text, mine):
    of_class = lambda classes: [c for c in report.api if c["cls"] in classes]
    yield "API calls", Counter(
        (c["start"], c["end"], c["tid"], c["corr"], text(c["name"]), c["ret"], c["cls"]) for c in of_class((0, 1))
    ), mine.rows("CUPTI_ACTIVITY_KIND_RUNTIME", "start end globalTid correlationId nameId returnValue eventClass")
    yield "OS runtime calls", Counter(
        (c["start"], c["end"], c["tid"], text(c["name"]), c["ret"]) for c in of_class(OS_CLASSES)
    ), mine.rows("OSRT_API", "start end globalTid nameId returnValue")
    columns = "start end globalTid nameId"
    yield "overheads", Counter(
        (c["start"], c["end"], c["tid"], text(c["name"])) for c in of_class(OVERHEAD_CLASSES)
    ), mine.rows("PROFILER_OVERHEAD", columns) + mine.rows("CUPTI_ACTIVITY_KIND_OVERHEAD", columns)
    yield "ranges and marks", Counter(
        (n["type"], n["start"], n["end"], n["text"] if n["text"] is not None else text(n["text_id"]), n["tid"])
        for n in report.nvtx if n["type"] in (34, 59, 60)
    ), Counter(row for row in mine.rows("NVTX_EVENTS", "eventType start end text globalTid").elements() if row[0] != 75)  # fmt: skip


def checks_of_processors(d, report, text, mine):
    yield "context switches", Counter(report.sched), mine.rows("SCHED_EVENTS", "start cpu isSchedIn globalTid")
    yield "CPU samples and chains", Counter(
        (start, tid, tuple((text(s), text(m)) for s, m in frames)) for start, tid, frames in report.samples
    ), mine.chains("COMPOSITE_EVENTS", "SAMPLING_CALLCHAINS", "start globalTid id")
    calls = []
    for event in report.events:
        fields = d.D(event)
        if fields[1] == 48:
            call = d.D(fields[108])
            if call.get(6) in OS_CLASSES:
                frames = [(text(f.get(1)), text(f.get(2))) for f in map(d.D, d.many(fields[108], 15))]
                calls.append((call.get(1), call.get(13), tuple(frames)))
    yield "chains of OS calls", Counter(calls), mine.chains("OSRT_API", "OSRT_CALLCHAINS", "start globalTid callchainId")


def checks_of_raw_events(d, report, mine):
    """What the decoder leaves in its raw form."""
    records, launches, graphs, said = [], [], [], []
    for event in report.events:
        fields = d.D(event)
        kind, body = fields[1], d.D(fields.get(107) or fields.get(108) or b"")
        if kind == 127:
            record = d.D(body[106])
            records.append((body.get(1, 0), body[4], body[5], body[6], body[3], body[8], record[1]))
        elif kind == 130:
            graph = d.D(body[107])
            launches.append((body[1], body[2], body[3], body[6], graph[1], graph[2]))
        elif kind in (113, 131, 132):
            graph = d.D(body.get(33) or body.get(37) or body.get(38))
            node = kind == 113
            graphs.append((body[1], body[6], body[13], graph.get(1), graph.get(2) if node else None,
                           None if node else graph.get(2)))  # fmt: skip
        elif kind == 49:
            message = d.D(fields[110])
            said.append((signed(d.D(message[1]).get(1, 0)), message[3], message[4].decode()))
    yield "CUDA event records", Counter(records), mine.rows(
        "CUPTI_ACTIVITY_KIND_CUDA_EVENT", "timestamp deviceId contextId streamId correlationId globalPid eventId")  # fmt: skip
    yield "graph launches", Counter(launches), mine.rows(
        "CUPTI_ACTIVITY_KIND_GRAPH_TRACE", "start end correlationId streamId graphId graphExecId")  # fmt: skip
    yield "graph events", Counter(graphs), mine.rows(
        "CUDA_GRAPH_EVENTS", "start eventClass globalTid graphId originalGraphId graphExecId")  # fmt: skip
    yield "diagnostics", Counter(said), mine.rows("DIAGNOSTIC_EVENT", "timestamp severity text")
    names = Counter((g["name"], g["bus"], g["uuid"], g["mem"], g["clock"], g["sms"], *g["cc"]) for g in report.gpus)
    yield "GPUs", names, mine.rows(
        "TARGET_INFO_GPU", "name busLocation uuid totalMemory clockRate smCount computeMajor computeMinor")  # fmt: skip
    yield "UTC start", Counter([(report.utc,)]), mine.rows("TARGET_INFO_SESSION_START_TIME", "utcEpochNs")


def check_file(d, path, folder):
    converted = pathlib.Path(folder) / (path.name + ".sqlite")
    result = compare.run_sonde("convert", path, converted)
    if result.returncode != 0:
        print(f"DIFFERS {path.name}: {result.stderr.strip()}")
        return 1
    report = d.load(str(path))
    text = lambda i: None if i is None else report.strings[i]
    differences = rows = 0
    for what, expected, found in checks(d, report, text, Converted(converted)):
        rows += sum(expected.values())
        if expected != found:
            differences += 1
            print(f"DIFFERS {path.name}  {what}: {sum(expected.values())} expected, {sum(found.values())} found")
            for title, side in (("missing", expected - found), ("surplus", found - expected)):
                print("\n".join(f"    {title}: {row}" for row in list(side)[:2]))
    unread = sum(c["cls"] in UNREAD_CLASSES for c in report.api)
    print(f"{'DIFFERS' if differences else 'ok':8}{path.name}  {rows} rows" + (f", {unread} not read" if unread else ""))
    return differences


def check_twin(path):
    twin = path.parents[1] / "nsys_sqlite" / (path.stem + ".sqlite")
    if not twin.is_file():
        return 0
    script = pathlib.Path(__file__).resolve().parents[2] / "tools/compare_nsys"
    result = subprocess.run([sys.executable, script, path, twin], capture_output=True, text=True, check=False)
    print(result.stdout + result.stderr, end="")
    return result.returncode


def main():
    d = compare.decoder("decode_nsys")
    paths = compare.selected(compare.data_folder("nsys_rep").glob("*.nsys-rep"))
    differences = 0
    for path in paths:
        with tempfile.TemporaryDirectory() as folder:
            differences += check_file(d, path, folder)
        differences += check_twin(path)
    print(f"{len(paths)} files, {differences} differences")
    return 1 if differences or not paths else 0


if __name__ == "__main__":
    sys.exit(main())
