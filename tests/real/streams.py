#!/usr/bin/env python3
"""Checks by raw rows, read without sonde, that a stream is one stream whatever green context its tables name, that
redundant_sync never names a wait before which its thread put work on the stream, and that a recording that its window
cuts is judged where it is whole.

usage: SONDE_TEST_DATA=FOLDER [SONDE=PROGRAM] streams.py
"""

import bisect
import collections
import json
import pathlib
import sqlite3
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "reference"))

import compare

WORK = ("CUPTI_ACTIVITY_KIND_KERNEL", "CUPTI_ACTIVITY_KIND_MEMCPY", "CUPTI_ACTIVITY_KIND_MEMSET",
        "CUPTI_ACTIVITY_KIND_GRAPH_TRACE")
WAITS = "CUPTI_ACTIVITY_KIND_SYNCHRONIZATION"
NO_STREAM = 0xFFFFFFFF
PROCESS = ~0xFFFFFF


class Export:
    """Rows of an Nsight Systems export; (process, context, stream) is a stream."""

    def __init__(self, path):
        self.database = sqlite3.connect(f"{pathlib.Path(path).absolute().as_uri()}?immutable=1", uri=True)
        self.tables = {row[0] for row in self.database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}

    def rows(self, table, columns):
        if table not in self.tables:
            return []
        present = {row[1] for row in self.database.execute(f"PRAGMA table_info({table})")}
        selected = ", ".join(c if c in present else f"NULL AS {c}" for c in columns.split())
        return self.database.execute(f"SELECT {selected} FROM {table}").fetchall()

    def streams(self, table):
        return self.rows(table, "globalPid deviceId contextId greenContextId streamId")

    def work(self):
        """{(process, correlation): [(start, end, stream)]}"""
        found = collections.defaultdict(list)
        for table in WORK:
            for process, correlation, start, end, context, stream in self.rows(
                    table, "globalPid correlationId start end contextId streamId"):
                found[process, correlation].append((start, end, (process, context, stream)))
        return found

    def waited_stream(self):
        """{(process, correlation): stream} of waits for one stream."""
        return {(process, correlation): (process, context, stream)
                for process, correlation, context, stream, event in self.rows(
                    WAITS, "globalPid correlationId contextId streamId eventId")
                if stream not in (None, NO_STREAM) and event in (None, NO_STREAM)}

    def calls(self):
        """(start, end, thread, key, name), by start."""
        if "CUPTI_ACTIVITY_KIND_RUNTIME" not in self.tables or "StringIds" not in self.tables:
            return []
        names = dict(self.rows("StringIds", "id value"))
        return sorted((start, end, thread, (thread & PROCESS, correlation), names.get(name, ""))
                      for start, end, thread, correlation, name in self.rows(
                          "CUPTI_ACTIVITY_KIND_RUNTIME", "start end globalTid correlationId nameId")
                      if thread is not None)


def why(path):
    return json.loads(compare.run_sonde("why", "--format", "json", path).stdout)


def check_streams(path, export, folder):
    """Sonde's own export has one device and green context for each stream, none for 0, and as many rows of each. The
    tables of waits write device 0 on every GPU."""
    copy = folder / "copy.sqlite"
    compare.run_sonde("convert", "--force-overwrite", path, copy)
    read = Export(copy)
    for table in (*WORK, WAITS):
        raw = collections.Counter((p, c, g or None, s) for p, _, c, g, s in export.streams(table))
        got = collections.Counter((p, c, g, s) for p, _, c, g, s in read.streams(table))
        if raw.values() and sorted(raw.values()) != sorted(got.values()):
            yield f"{table}: rows by stream {sorted(got.values())}, not {sorted(raw.values())}"
    keys = {row for table in (*WORK, WAITS) for row in read.streams(table)}
    numbers = collections.Counter((p, c, s) for p, _, c, _, s in keys)
    for number, count in numbers.items():
        if count > 1:
            yield f"stream {number} is {count} streams"


def check_redundant_syncs(export, findings):
    """Of each wait that the finding shows: since its thread's last wait that covers it, nothing was put on its stream."""
    finding = next((f for f in findings if f["id"] == "redundant_sync"), None)
    if finding is None:
        return
    work, waited, calls = export.work(), export.waited_stream(), export.calls()
    starts = [call[0] for call in calls]
    for evidence in finding["evidence"]:
        at = bisect.bisect_left(starts, evidence["start_ns"])
        start, _, thread, key, name = calls[at]
        stream = waited.get(key)
        for _, _, other, previous, called in reversed(calls[:at]):
            puts = {s for _, _, s in work.get(previous, [])}
            if puts and (stream is None or stream in puts):
                yield f"before {name} at {start} {called} put work on {puts}"
                break
            covers = "DeviceSynchronize" in called or (stream is not None and waited.get(previous) == stream)
            if other == thread and covers:
                break


def check_cut(export, diagnosis):
    """Where the launches at the end have no kernel, the rules judge time before the first of them."""
    work = export.work()
    begin = min(start for rows in work.values() for start, _, _ in rows)
    launches = [call for call in export.calls() if "Launch" in call[4]]
    end = next((call[0] for call in launches if call[3] not in work), None)
    if end is None or any(call[3] in work for call in launches if call[0] > end):
        yield "launches without a kernel are not at the end"
        return
    if not 0 < diagnosis["wall_ns"] <= end - begin:
        yield f"{diagnosis['wall_ns']} ns are judged, of {end - begin} before the first launch without a kernel"
    if not diagnosis["findings"] or any(a["id"] == "check.records_complete" for a in diagnosis["no_conclusion"]):
        yield "the rules abstain"


def main():
    exports, pairs = compare.data_folder("nsys_sqlite"), compare.data_folder("pairs")
    failures = []
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch)
        for path in sorted(exports.glob("*.sqlite")):
            export = Export(path)
            diagnosis = why(path)
            problems = [*check_streams(path, export, folder), *check_redundant_syncs(export, diagnosis["findings"])]
            if path.name.startswith("h100_two_gpu_aten_nvtx"):
                problems += check_cut(export, diagnosis)
            failures += [f"{path.name}: {problem}" for problem in problems]
        for path in sorted([*pairs.glob("*.nsys-rep"), *pairs.glob("*.qdrep")]):
            copy = folder / "report.sqlite"
            if compare.run_sonde("convert", "--force-overwrite", path, copy).returncode != 0:
                continue  # a report that sonde refuses
            export = Export(copy)
            failures += [f"{path.name}: {p}" for p in check_redundant_syncs(export, why(path)["findings"])]
            failures += [f"{path.name}: GPU {gpu} has no compute capability"
                         for gpu, *stated in export.rows("TARGET_INFO_GPU", "id computeMajor computeMinor")
                         if None in stated]
    for failure in failures:
        print(failure)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
