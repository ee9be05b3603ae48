#!/usr/bin/env python3
"""Checks what NVTX events carry: binary payloads with their schemas, categories with names, colors and values of
marks."""

import json
import struct
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "shared"))
from _recorded import MARK, PUSH_POP, SONDE, START_END, TOOLS, Recorded, check, record

PROGRAM = TOOLS / "payload_program"
CATEGORY = 33
ALL_REDUCE = {"NCCL communicator ID": 2**64 - 1, "Message size [bytes]": 1048576, "Reduction operation": "Max"}
OUTER = {"name": 'by "payload', "few": [0, -1, 0], "inner": {"x": 0.5, "y": -2.25}, "address": "0x1234",
         "string": "registered"}


def texts(recorded, kind):
    rows = recorded.rows("SELECT text, jsonText FROM NVTX_EVENTS WHERE eventType = ? ORDER BY start", kind)
    return [(name, text and json.loads(text)) for name, text in rows]


def what_payloads_say(recorded):
    pushed = texts(recorded, PUSH_POP)
    check(pushed.count(('by "payload', OUTER)) == 2, "named by the payload of its begin, and of its end")
    pushed = dict(pushed)
    check(pushed == {"ncclAllReduce": ALL_REDUCE, "in a child": ALL_REDUCE | {"Message size [bytes]": 5},
                     'by "payload': OUTER, "dynamic": {"count": 2, "values": [7, -8], "text": "abc"},
                     "too few bytes": None, "union": None, "unknown": None, "a double": 1.5, "a text": "text",
                     "too long": None}, pushed)
    check(texts(recorded, MARK) == [('by "payload', OUTER), ("more than one", 1.5)], texts(recorded, MARK))
    check(texts(recorded, START_END) == [("ended with it", OUTER)], texts(recorded, START_END))


def their_bytes(recorded):
    """As others read them: a head of 32 bytes with domain, schema, and the bytes of the payload and of all."""
    ((data, domain),) = recorded.rows("SELECT binaryData, domainId FROM NVTX_EVENTS WHERE text = 'ncclAllReduce'")
    head = struct.unpack_from("<IIIIQQ", data)
    check(head == (domain, 0, 16777223, 0, 24, 56) and len(data) == 56, head)
    check(struct.unpack_from("<QQi", data, 32) == (2**64 - 1, 1048576, 2), data)
    ((data,),) = recorded.rows("SELECT binaryData FROM NVTX_EVENTS WHERE text = 'union'")
    check(struct.unpack_from("<i", data, 32) == (1,), data)


def their_schemas(recorded):
    rows = recorded.rows("SELECT schemaId, type, flags, numEntries, payloadSize, name, alignTo FROM NVTX_PAYLOAD_SCHEMAS "
                         "WHERE schemaId < 1 << 32 OR name = 'outer' ORDER BY 1")
    check([row[1:] for row in rows] == [(1, None, 3, 24, None, None), (1, None, 5, 48, "outer", None)], rows)
    rows = recorded.rows("SELECT idx, flags, type, name, description, arrayOrUnionDetail, offset "
                         "FROM NVTX_PAYLOAD_SCHEMA_ENTRIES WHERE schemaId = 16777223 ORDER BY idx")
    check(rows == [(0, None, 18, "NCCL communicator ID", None, None, None),
                   (1, None, 22, "Message size [bytes]", "of each rank", None, 8),
                   (2, None, 16777232, "Reduction operation", None, None, 16)], rows)
    check(recorded.rows("SELECT schemaId, numEntries, size FROM NVTX_PAYLOAD_ENUMS") == [(16777232, 2, 4)], "enums")
    rows = recorded.rows("SELECT schemaId, idx, name, value, isFlag FROM NVTX_PAYLOAD_ENUM_ENTRIES ORDER BY idx")
    check(rows == [(16777232, 0, "Sum", 0, 0), (16777232, 1, "Max", 2, 0)], rows)


def payloads(folder):
    path = folder / "payloads.sqlite"
    run = record(path, PROGRAM, "payloads", options=["-t", "nvtx"])
    check((run.returncode, run.stdout) == (0, "done\n"), run.stderr)
    recorded = Recorded(path)
    what_payloads_say(recorded)
    their_bytes(recorded)
    their_schemas(recorded)
    check("binary NVTX payloads dropped" in run.stderr and "or empty: 2\n" in run.stderr, run.stderr)
    check("3 of 13 binary payloads of NVTX events could not be decoded" in run.stderr, run.stderr)


def details(folder):
    path = folder / "details.sqlite"
    record(path, PROGRAM, "details", options=["-t", "nvtx"])
    recorded = Recorded(path)
    rows = recorded.rows("SELECT d.text, c.category, c.text FROM NVTX_EVENTS c LEFT JOIN NVTX_EVENTS d ON d.eventType = 75 "
                         "AND d.domainId = c.domainId WHERE c.eventType = ? ORDER BY 1, 2", CATEGORY)
    check(rows == [(None, 7, "seven"), ("with details", 7, "seven of the domain"), ("with details", 8, "eight")], rows)
    rows = recorded.rows("SELECT eventType, text, category, color, uint32Value, floatValue FROM NVTX_EVENTS "
                         "WHERE eventType IN (?, ?) ORDER BY start", MARK, PUSH_POP)
    check(rows == [(MARK, "white", 7, 0xFFFFFFFF, 4000000000, None), (PUSH_POP, "white", 7, 0xFFFFFFFF, 4000000000, None),
                   (MARK, "a float", 7, 0x80FF0000, None, -0.25), (PUSH_POP, "a float", 7, 0x80FF0000, None, -0.25),
                   (MARK, "plain", 7, None, None, None)], rows)


def rows_of(path, table):
    """All of a table, without what is another number for the same domain."""
    recorded = Recorded(path)
    columns = [row[1] for row in recorded.rows(f"PRAGMA table_info({table})") if row[1] not in ("domainId", "binaryData")]
    return sorted(recorded.rows(f"SELECT {', '.join(columns)} FROM {table}"), key=repr)


def converted(folder):
    """What events carry is read back as it was written: into another file, and from that into a third."""
    for name in ("payloads", "details"):
        paths = [folder / f"{name}{i}.sqlite" for i in ("", 2, 3)]
        for before, after in zip(paths, paths[1:]):
            subprocess.run([SONDE, "convert", before, after], check=True, capture_output=True)
            tables = [table for (table,) in Recorded(before).rows("SELECT name FROM sqlite_master WHERE name LIKE 'NVTX_%'")]
            check("NVTX_EVENTS" in tables and (name == "details" or len(tables) == 5), tables)
            for table in tables:
                check(rows_of(before, table) == rows_of(after, table), (table, rows_of(before, table), rows_of(after, table)))
    copy = Recorded(folder / "payloads3.sqlite")
    what_payloads_say(copy)
    their_bytes(copy)
    their_schemas(copy)
    rows = Recorded(folder / "details3.sqlite").rows(
        "SELECT d.text, c.category, c.text FROM NVTX_EVENTS c LEFT JOIN NVTX_EVENTS d ON d.eventType = 75 AND d.domainId = "
        "c.domainId WHERE c.eventType = ? ORDER BY 1, 2", CATEGORY)
    check(rows == [(None, 7, "seven"), ("with details", 7, "seven of the domain"), ("with details", 8, "eight")], rows)


def enabled(folder):
    """NVTX 3.2.0 makes no ranges where a tool does not say that it wants them."""
    run = record(folder / "enabled.sqlite", PROGRAM, "enabled", options=["-t", "nvtx"])
    check(run.stdout == "enabled: 1\ndone\n", run.stdout)


def main():
    with tempfile.TemporaryDirectory() as name:
        for part in (payloads, details, converted, enabled):
            part(Path(name))
            print(f"{part.__name__}: ok", flush=True)


if __name__ == "__main__":
    main()
