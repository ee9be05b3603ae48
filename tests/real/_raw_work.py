"""GPU work and API calls of a profile, as raw rows: Nsight Systems reports by tools/decode_nsys.py beside the data, SQLite
exports by SQL, PyTorch traces from their JSON. None of it is Sonde's reading."""

import gzip
import json
import sqlite3
from collections import defaultdict
from pathlib import Path

DIRECTIONS = {1: "Host-to-Device", 2: "Device-to-Host", 8: "Device-to-Device", 10: "Peer-to-Peer"}
LETTERS = {"HtoD": "Host-to-Device", "DtoH": "Device-to-Host", "DtoD": "Device-to-Device", "PtoP": "Peer-to-Peer"}


class Raw:
    """Times in ns. `work` has (kind, name, pageable, bytes, start, end), `calls` counts by name without version."""

    def __init__(self):
        self.work = []
        self.calls = defaultdict(int)

    def add(self, kind, name, pageable, size, start, end):
        self.work.append((kind, name, pageable, size or 0, start, end))

    def call(self, name):
        self.calls[name.split("_v")[0] if name.rsplit("_v", 1)[-1].isdigit() else name] += 1

    def of(self, kind, name=None, pageable=None):
        return [w for w in self.work if w[0] == kind and name in (None, w[1]) and pageable in (None, w[2])]

    def kernels(self, name):
        return self.of("kernel", name)

    def mean_ns(self, rows):
        return sum(end - start for *_, start, end in rows) / len(rows) if rows else 0

    def bytes(self, rows):
        return sum(row[3] for row in rows)

    def extent(self):
        return min(w[4] for w in self.work), max(w[5] for w in self.work)

    def busy_ns(self):
        """The union of all work: of runs on one GPU the time in which it is busy."""
        busy, until = 0, None
        for start, end in sorted((w[4], w[5]) for w in self.work):
            if until is None or start > until:
                busy, until = busy + end - start, end
            elif end > until:
                busy, until = busy + end - until, end
        return busy

    def idle_ns(self):
        first, last = self.extent()
        return last - first - self.busy_ns()


def of_report(path, decode):
    report, raw = decode.load(str(path)), Raw()
    for k in report.kernels:
        raw.add("kernel", report.strings[k["name"]], False, 0, k["start"], k["end"])
    for m in report.memcpy:
        pageable = 0 in (m["src"], m["dst"]) or (m["src"] is None and m["kind"] == 1) or (m["dst"] is None and m["kind"] == 2)
        raw.add("copy", DIRECTIONS.get(m["kind"], str(m["kind"])), pageable, m["bytes"], m["start"], m["end"])
    for m in report.memset:
        raw.add("memset", "", False, m["bytes"], m["start"], m["end"])
    for call in report.api:
        if call["cls"] in (0, 1):
            raw.call(report.strings[call["name"]])
    return raw


def of_database(path):
    db, raw = sqlite3.connect(path), Raw()
    tables = {row[0] for row in db.execute("select name from sqlite_master where type='table'")}
    prefix = "CUPTI_ACTIVITY_KIND_"
    if prefix + "KERNEL" in tables:
        for name, start, end in db.execute(f"select value, start, end from {prefix}KERNEL join StringIds on id = demangledName"):
            raw.add("kernel", name, False, 0, start, end)
    if prefix + "MEMCPY" in tables:
        for kind, source, target, size, start, end in db.execute(
            f"select copyKind, srcKind, dstKind, bytes, start, end from {prefix}MEMCPY"
        ):
            raw.add("copy", DIRECTIONS.get(kind, str(kind)), 0 in (source, target), size, start, end)
    if prefix + "MEMSET" in tables:
        for size, start, end in db.execute(f"select bytes, start, end from {prefix}MEMSET"):
            raw.add("memset", "", False, size, start, end)
    for (name,) in db.execute(f"select value from {prefix}RUNTIME join StringIds on id = nameId"):
        raw.call(name)
    return raw


def of_trace(path):
    opener = gzip.open if str(path).endswith(".gz") else open
    with opener(path, "rb") as file:
        document = json.loads(file.read(), strict=False)
    raw = Raw()
    for event in document["traceEvents"] if isinstance(document, dict) else document:
        category, name = str(event.get("cat", "")).lower(), event.get("name", "")
        if event.get("ph") != "X":
            continue
        start = round(float(event["ts"]) * 1000)
        end = start + round(float(event.get("dur", 0)) * 1000)
        size = event.get("args", {}).get("bytes", 0)
        if category == "kernel":
            raw.add("kernel", name, False, 0, start, end)
        elif category in ("gpu_memcpy", "memcpy"):
            direction = next((text for word, text in LETTERS.items() if word in name), name)
            raw.add("copy", direction, "Pageable" in name, size, start, end)
        elif category in ("gpu_memset", "memset"):
            raw.add("memset", "", False, size, start, end)
        elif category in ("cuda_runtime", "cuda_driver", "runtime"):
            raw.call(name)
    return raw


def read(path, decode):
    path = Path(path)
    if path.suffix in (".nsys-rep", ".qdrep"):
        return of_report(path, decode)
    return of_database(path) if path.suffix == ".sqlite" else of_trace(path)
