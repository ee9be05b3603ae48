"""GPU operations, API calls, OS calls and ranges of a profile as raw rows in Sonde's clock: Nsight Systems reports by
tools/decode_nsys.py beside the data, exports and databases of nvprof and rocprof by SQL, PyTorch traces from their JSON. None
of it is Sonde's reading but time 0, which is that of the first GPU operation."""

import bisect
import gzip
import json
import re
import sqlite3
from collections import defaultdict, namedtuple
from decimal import Decimal
from pathlib import Path

import compare

# kind: kernel, copy, memset or graph; direction: HtoD, DtoH, DtoD, PtoP or managed, of copies; key: of the call.
Op = namedtuple("Op", "start end kind name device stream key bytes direction pageable blocks threads")
Call = namedtuple("Call", "start end name thread key")
Range = namedtuple("Range", "start end name thread")
DIRECTIONS = {1: "HtoD", 2: "DtoH", 8: "DtoD", 10: "PtoP", 11: "managed", 12: "managed"}
GPU_CATEGORIES = {"kernel": "kernel", "gpu_memcpy": "copy", "memcpy": "copy", "gpu_memset": "memset", "memset": "memset"}
CALL_CATEGORIES = {"cuda_runtime", "cuda_driver", "runtime"}
RANGE_CATEGORIES = {"user_annotation", "cpu_op", "python_function", "operator"}
PROCESS = ~0xFFFFFF
GRAPH = 130  # a CUDA graph traced as a whole, which decode_nsys.py leaves out
PREFIX = "CUPTI_ACTIVITY_KIND_"


def union(spans):
    """Disjoint spans, by start."""
    merged = []
    for start, end in sorted(spans):
        if merged and start <= merged[-1][1]:
            merged[-1][1] = max(merged[-1][1], end)
        else:
            merged.append([start, end])
    return merged


def length(spans):
    return sum(end - start for start, end in spans)


def overlap(spans, start, end):
    """Of disjoint spans by start, the time within [start, end)."""
    at = max(0, bisect.bisect_left(spans, [start]) - 1)
    total = 0
    while at < len(spans) and spans[at][0] < end:
        total += max(0, min(spans[at][1], end) - max(spans[at][0], start))
        at += 1
    return total


class Profile:
    def __init__(self, path, decode=None):
        self.path, self.ops, self.calls, self.os_calls, self.ranges = Path(path), [], [], [], []
        self.processors = None  # of the GPUs
        if self.path.suffix in (".nsys-rep", ".qdrep"):
            self.read_report(decode.load(str(path)), decode)
        elif ".json" in self.path.name:
            self.read_trace()
        else:
            self.read_database()
        self.calls = [call._replace(name=re.sub(r"_v\d{4}$", "", call.name)) for call in self.calls]
        self.ops.sort(key=lambda op: (op.start, op.end))
        self.move_to_sondes_clock()
        self.calls.sort(key=lambda call: (call.start, call.end))
        self.call_of = {call.key: call for call in self.calls}
        self.busy = {device: union([o.start, o.end] for o in self.ops if o.device == device) for device in self.devices()}
        self.by_thread = defaultdict(list)
        for call in self.calls:
            self.by_thread[call.thread].append(call)

    def devices(self):
        return sorted({o.device for o in self.ops}, key=str)

    def first_launched(self, device, stream):
        """The start of a stream's first operation whose call was recorded."""
        return next((o.start for o in self.ops if (o.device, o.stream) == (device, stream) and o.key in self.call_of), None)

    def move_to_sondes_clock(self):
        summary = json.loads(compare.run_sonde("summary", "--json", self.path).stdout)
        firsts = [gpu["first_ns"] for gpu in summary["gpus"]]
        by = min(firsts) - self.ops[0].start if firsts and self.ops else 0
        for rows in (self.ops, self.calls, self.os_calls, self.ranges):
            rows[:] = [row._replace(start=row.start + by, end=row.end + by) for row in rows]

    def read_report(self, report, decode):
        text = report.strings
        self.processors = next((gpu["sms"] for gpu in report.gpus if gpu["sms"]), None)
        for k in report.kernels:
            grid, block = k["grid"], k["block"]
            self.ops.append(Op(k["start"], k["end"], "kernel", text[k["name"]], k["dev"], k["stream"], k["corr"], 0, None, False,
                               grid[0] * grid[1] * grid[2], block[0] * block[1] * block[2]))
        for m in report.memcpy:
            # Pageable is 0, which the format leaves out.
            direction = DIRECTIONS.get(m["kind"], "other")
            host = {"HtoD": m["src"], "DtoH": m["dst"]}.get(direction, -1)
            self.ops.append(Op(m["start"], m["end"], "copy", direction, m["dev"], m["stream"], m["corr"], m["bytes"], direction,
                               host in (None, 0), 0, 0))
        for m in report.memset:
            self.ops.append(Op(m["start"], m["end"], "memset", "", m["dev"], m["stream"], m["corr"], m["bytes"], None, False, 0, 0))
        for fields in map(decode.D, report.events):
            if fields[1] == GRAPH:
                g = decode.D(fields[107])
                self.ops.append(Op(g[1], g[2], "graph", "", g.get(4, 0), g[6], g[3], 0, None, False, 0, 0))
        for c in report.api:
            if c["cls"] in (0, 1):
                self.calls.append(Call(c["start"], c["end"], text[c["name"]], c["tid"], c["corr"]))
        for r in report.nvtx:
            if r["end"] is not None:
                name = r["text"] if r["text"] is not None else text[r["text_id"]] if r["text_id"] is not None else ""
                self.ranges.append(Range(r["start"], r["end"], name, r["tid"]))

    def read_trace(self):
        opener = gzip.open if self.path.suffix == ".gz" else open
        with opener(self.path, "rb") as file:
            document = json.loads(file.read(), strict=False, parse_float=Decimal)
        if isinstance(document, dict):
            self.processors = next((d.get("numSms") for d in document.get("deviceProperties", [])), None)
        for event in document["traceEvents"] if isinstance(document, dict) else document:
            if event.get("ph") != "X":
                continue
            category, arguments = str(event.get("cat", "")).lower(), event.get("args", {})
            start = int(event["ts"] * 1000)
            end = start + int(event.get("dur", 0) * 1000)
            key, name = arguments.get("correlation", arguments.get("External id")), event["name"]
            if category in GPU_CATEGORIES:
                self.ops.append(self.op_of_trace(start, end, GPU_CATEGORIES[category], name, key, arguments))
            elif category in CALL_CATEGORIES:
                self.calls.append(Call(start, end, name, event.get("tid"), key))
            elif category in RANGE_CATEGORIES:
                self.ranges.append(Range(start, end, name, event.get("tid")))

    def op_of_trace(self, start, end, kind, name, key, arguments):
        direction = next((word for word in ("HtoD", "DtoH", "DtoD", "PtoP") if word in name), "other") if kind == "copy" else None
        blocks = threads = 0
        if arguments.get("grid"):
            (a, b, c), (x, y, z) = arguments["grid"], arguments["block"]
            blocks, threads = a * b * c, x * y * z
        return Op(start, end, kind, name, arguments.get("device"), arguments.get("stream"), key, arguments.get("bytes", 0),
                  direction, "Pageable" in name, blocks, threads)

    def read_database(self):
        db = sqlite3.connect(f"{self.path.absolute().as_uri()}?immutable=1", uri=True)
        tables = {row[0] for row in db.execute("SELECT name FROM sqlite_master")}
        strings = next((t for t in ("StringIds", "StringTable") if t in tables), None)
        text = dict(db.execute(f"SELECT * FROM {strings}")) if strings else {}

        def rows(table, columns):
            have = {row[1] for row in db.execute(f"PRAGMA table_info({table})")}
            return db.execute("SELECT " + ", ".join(c if c.strip('"') in have else "NULL" for c in columns.split()) +
                              f" FROM {table}") if have else []

        for table, kind in (("KERNEL", "kernel"), ("CONCURRENT_KERNEL", "kernel"), ("MEMCPY", "copy"), ("MEMCPY2", "copy"),
                            ("MEMSET", "memset"), ("GRAPH_TRACE", "graph")):
            for start, end, device, stream, key, process, size, copy, source, target, long, name, *shape in rows(
                    PREFIX + table, "start end deviceId streamId correlationId globalPid bytes copyKind srcKind dstKind"
                    " demangledName name gridX gridY gridZ blockX blockY blockZ"):
                direction = DIRECTIONS.get(copy, "other") if kind == "copy" else None
                host = {"HtoD": source, "DtoH": target}.get(direction, -1)
                pageable = host == (1 if "StringTable" in tables else 0)  # CUPTI counts from 1, Nsight Systems from 0
                a, b, c, x, y, z = (value or 1 for value in shape)
                self.ops.append(Op(start, end, kind, text.get(long, text.get(name, "")), device, stream, (process, key),
                                   size or 0, direction, pageable, a * b * c, x * y * z))
        self.processors = next((row[0] for row in rows("TARGET_INFO_GPU", "smCount") if row[0]), None)
        for start, end, device, name in rows("KERN", 'BeginNs EndNs "gpu-id" KernelName'):
            self.ops.append(Op(start, end, "kernel", name, device, 0, None, 0, None, False, 0, 0))
        for table in ("RUNTIME", "DRIVER"):
            for start, end, name, thread, other, key in rows(PREFIX + table, "start end nameId globalTid threadId correlationId"):
                process = thread & PROCESS if thread is not None else None
                self.calls.append(Call(start, end, text.get(name, ""), thread if thread is not None else other, (process, key)))
        for start, end, name, thread in rows("OSRT_API", "start end nameId globalTid"):
            self.os_calls.append(Range(start, end, text.get(name, ""), thread))
        for start, end, own, name, thread in rows("NVTX_EVENTS", "start end text textId globalTid"):
            if end is not None:
                self.ranges.append(Range(start, end, own or text.get(name, ""), thread))
