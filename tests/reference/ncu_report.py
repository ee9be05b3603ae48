#!/usr/bin/env python3
"""Makes Nsight Compute reports (.ncu-rep) from a description in JSON: what the tests read, and never a real measurement.

    tests/reference/ncu_report.py DESCRIPTION.json REPORT.ncu-rep

The layout is that of reports of 2020.3 to 2025.2, written here independently of Sonde's reader. The description:

    {"session": {"utc_s", "command_line", "versions": {component: version}, "host": [texts], "process": [pid, path],
                 "target": [texts], "addresses": [texts],
                 "devices": [{"index", "name", "attributes": {name: value}}]},
     "sections": {id: {"title", "order", "description", "header": [[metric, label], ...], "others": [...],
                       "source": [...], "sets": []}},
     "code": [{"reference", "elf": path beside the description, "functions": [[mangled, address], ...]}],
     "kernels": [{"name", "function", "mangled", "grid", "block", "thread", "context", "stream", "code": reference,
                  "fixed_clocks": boolean,
                  "metrics": {name: value | {"value", "instances": [[key, value], ...]} | {"passes": [value, ...]}}, "sections": [ids],
                  "rules": [{"id", "name", "section", "items": [{"text": [kind, title, text],
                             "focus": [metric, value, severity, text], "speedup": [kind, percent]}]}],
                  "ranges": {"domains": {id: name | {"name", "strings": {handle: text}}},
                             "push_pop": [[thread, domain, [ranges]]], "start_end": [[domain, thread, range]]},
                  "stack": [[module, address, file, function, line]]}]}

A metric of a section is also {"metric", "label", "on": [[first, last], ...], "options": [{"metric", "on"}]}: compute
capabilities that it is for, and metrics in its place on others. A range is its name or {"name", "category", "color", "payload": [type, value], "text", "handle"} with types as in
nvtxPayloadType_t. Numbers with a point are stored as doubles, others as 64-bit integers.
"""
import json
import struct
import sys
from pathlib import Path

MAGIC = b"NVR\0"
VERSION = 7


def varint(value):
    out = bytearray()
    value &= (1 << 64) - 1
    while True:
        byte = value & 0x7F
        value >>= 7
        out.append(byte | (0x80 if value else 0))
        if not value:
            return bytes(out)


def field(number, value):
    """A field: integers as varints, floats as doubles, texts and bytes with their length; None is left out."""
    if value is None:
        return b""
    if isinstance(value, float):
        return varint(number << 3 | 1) + struct.pack("<d", value)
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    data = value.encode() if isinstance(value, str) else value
    return varint(number << 3 | 2) + varint(len(data)) + data


def sized(data):
    return struct.pack("<I", len(data)) + data


def metric_value(value):
    if isinstance(value, str):
        return field(1, value)
    return field(3, value) if isinstance(value, float) else field(5, value)


def dim3(numbers):
    return b"".join(field(i, n) for i, n in enumerate(numbers, 1))


def passes(described):
    """A metric that several passes collect is there once a pass."""
    return described["passes"] if isinstance(described, dict) and "passes" in described else [described]


def metric(number, described):
    described = described if isinstance(described, dict) else {"value": described}
    value = described.get("value")
    out = field(1, number) + (b"" if value is None else field(2, metric_value(value)))
    for key, part in described.get("instances", []):
        out += field(3, field(1, metric_value(key)) + field(2, metric_value(part)))
    return out


def capabilities(ranges):
    return b"".join(field(3, field(1, first) + field(2, last)) for first, last in ranges)


def section_metric(described):
    if isinstance(described, list):
        described = dict(zip(("metric", "label"), described))
    out = field(1, described["metric"]) + field(2, described.get("label"))
    out += field(6, capabilities(described["on"])) if "on" in described else b""
    return out + b"".join(field(7, field(1, o["metric"]) + field(3, capabilities(o["on"])))
                          for o in described.get("options", []))


def section(name, described):
    header = field(1, 2) + b"".join(field(2, section_metric(m)) for m in described.get("header", []))
    others = b"".join(field(1, section_metric(m)) for m in described.get("others", []))
    source = b"".join(field(1, section_metric(m)) for m in described.get("source", []))
    return (field(1, name) + field(2, described["title"]) + field(3, described["order"]) + field(4, header)
            + (field(6, others) if others else b"") + field(7, described.get("description"))
            + b"".join(field(8, field(1, s)) for s in described.get("sets", []))
            + (field(13, source) if source else b""))


def rule_item(described):
    out = b""
    if "text" in described:
        kind, title, text = described["text"]
        out += field(1, field(1, text) + field(2, kind) + field(4, title))
    if "focus" in described:
        name, value, severity, text = described["focus"]
        out += field(8, field(2, name) + field(3, float(value)) + field(4, severity) + field(5, text))
    if "speedup" in described:
        kind, percent = described["speedup"]
        out += field(10, field(1, kind) + field(2, float(percent)))
    return out


def rule(described):
    body = b"".join(field(1, rule_item(i)) for i in described.get("items", []))
    return (field(1, described["id"]) + field(2, described["name"]) + field(3, body)
            + field(4, described.get("section")))


def domain(number, described):
    described = described if isinstance(described, dict) else {"name": described}
    strings = (field(1, int(handle)) + field(2, text) for handle, text in described.get("strings", {}).items())
    return field(1, int(number)) + field(2, described["name"]) + b"".join(field(3, s) for s in strings)


def range_attributes(described):
    out = field(1, 1) + field(2, described.get("category", 0))
    out += field(3, field(1, 1) + field(2, described["color"])) if "color" in described else b""
    if "payload" in described:
        kind, value = described["payload"]
        out += field(4, field(1, kind) + field(kind + 1, value))
    if "text" in described or "handle" in described:
        out += field(5, field(1, 3 if "handle" in described else 1) + field(2, described.get("text"))
                     + field(3, described.get("handle")))
    return out


def open_range(described, name_field):
    """Its attributes follow its name."""
    described = described if isinstance(described, dict) else {"name": described}
    out = field(name_field, described.get("name"))
    return out + (field(name_field + 1, range_attributes(described)) if len(described) > 1 else b"")


def ranges(described):
    out = b"".join(field(1, domain(n, d)) for n, d in described.get("domains", {}).items())
    for thread, number, stack in described.get("push_pop", []):
        out += field(2, field(1, thread) + field(2, field(1, number) + b"".join(field(3, open_range(r, 1)) for r in stack)))
    for number, thread, one in described.get("start_end", []):
        out += field(3, field(1, number) + field(3, field(1, 1) + open_range(one, 2) + field(5, thread)))
    return out


def call_stack(frames):
    return b"".join(
        field(1, field(1, module) + field(2, address) + field(3, file) + field(4, function) + field(5, line))
        for module, address, file, function, line in frames)


def result(kernel, names, sections):
    out = field(1, kernel.get("thread", 1)) + field(2, 1) + field(5, kernel.get("mangled", kernel["name"]))
    out += field(6, kernel.get("function")) + field(7, kernel["name"]) + field(8, 3) + field(9, dim3([0, 0, 0]))
    out += field(10, dim3(kernel["grid"])) + field(11, dim3(kernel["block"]))
    out += b"".join(field(13, metric(names.index(n), p)) for n, m in kernel["metrics"].items() for p in passes(m))
    out += field(14, 1700000000)
    out += field(15, field(1, kernel["code"])) if "code" in kernel else b""
    out += field(16, 0) + b"".join(field(17, section(s, sections[s])) for s in kernel.get("sections", []))
    out += b"".join(field(19, rule(r)) for r in kernel.get("rules", []))
    out += field(21, ranges(kernel["ranges"])) if "ranges" in kernel else b""
    out += field(22, kernel.get("context", 1)) + field(23, kernel.get("stream", 7))
    if "fixed_clocks" in kernel:
        out += field(25, field(1, int(kernel["fixed_clocks"])) + field(2, int(kernel["fixed_clocks"])))
    out += field(28, call_stack(kernel["stack"])) if "stack" in kernel else b""
    return out


def source(described, folder):
    elf = (folder / described["elf"]).read_bytes() if "elf" in described else None
    functions = b"".join(field(1, field(1, n) + field(2, a) + field(3, 0)) for n, a in described.get("functions", []))
    return field(1, described["reference"]) + field(4, elf) + field(7, 0) + field(9, functions)


def block(process, session=b"", names=(), sources=(), results=()):
    payload = b"".join(sized(m) for m in [*sources, *results])
    table = b"".join(field(1, n) for n in names)
    pid, path = process
    header = (field(1, len(sources)) + field(2, len(results)) + field(3, session) + field(4, table)
              + field(5, len(payload)) + field(6, field(1, pid) + field(2, "127.0.0.1") + field(3, path)))
    return sized(header) + payload


def device(described):
    attributes = b"".join(field(3, field(1, n) + field(2, metric_value(v)))
                          for n, v in described.get("attributes", {}).items())
    return field(1, described.get("index", 0)) + field(2, described["name"]) + attributes


def session_messages(described):
    """One message a block, as the tool writes them."""
    yield field(2, described.get("utc_s", 1700000000)) + field(3, b"".join(
        field(i, t) for i, t in enumerate(described.get("host", ["Linux"]), 1)))
    if "target" in described:
        addresses = b"".join(field(7, field(1, a) + field(2, 1)) for a in described.get("addresses", []))
        yield field(4, b"".join(field(i, t) for i, t in enumerate(described["target"], 1)) + addresses)
    for d in described.get("devices", []):
        yield field(6, device(d))
    versions = {"Nsight Compute Target": "2023.1.1.0 (sonde test)"} | described.get("versions", {})
    for component, version in versions.items():
        yield field(8, field(1, component) + field(2, version))
    yield field(11, described.get("command_line", "ncu ./a.out"))


def report(description, folder=Path()):
    session = description.get("session", {})
    process = session.get("process", [4242, "/opt/example/bin/a.out"])
    kernels = description["kernels"]
    names = sorted({n for k in kernels for n in k["metrics"]})
    sections = description.get("sections", {})
    head, *rest = session_messages(session)
    blocks = [block(process, head), block(process, sources=[source(c, folder) for c in description.get("code", [])])]
    for i, kernel in enumerate(kernels):
        blocks.append(block(process, names=names if i == 0 else (), results=[result(kernel, names, sections)]))
        if i == 0:
            blocks += [block(process, message) for message in rest]
    header = field(1, description.get("version", VERSION))
    return MAGIC + sized(header) + b"".join(blocks)


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    path = Path(sys.argv[1])
    Path(sys.argv[2]).write_bytes(report(json.loads(path.read_text(encoding="utf-8")), path.parent))


if __name__ == "__main__":
    main()
