"""Checks documents against the schemas of docs/, for the few keywords that these use."""

import json
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
TYPES = {
    "object": dict, "array": list, "string": str, "integer": int, "number": (int, float), "boolean": bool,
    "null": type(None),
}  # fmt: skip


def load(name):
    return json.loads((ROOT / "docs/schemas" / name).read_text())


def is_of(value, name):
    return isinstance(value, TYPES[name]) and (name == "boolean" or not isinstance(value, bool))


def resolved(schema, root):
    """What a $ref stands for, and the document in which that one's own are looked up."""
    while "$ref" in schema:
        place = schema["$ref"]
        if place.startswith("#/$defs/"):
            schema = root["$defs"][place.removeprefix("#/$defs/")]
        else:
            schema = root = load(place)
    return schema, root


def object_violations(value, schema, root, place):
    known = schema.get("properties", {})
    others = schema.get("additionalProperties", False)
    yield from (f"{place}: {key} is missing" for key in schema.get("required", []) if key not in value)
    for key, inner in value.items():
        if key in known:
            yield from violations(inner, known[key], f"{place}.{key}", root)
        elif others:
            yield from violations(inner, others, f"{place}.{key}", root)
        else:
            yield f"{place}: {key} is not in the schema"


def violations(value, schema, place="$", root=None):
    schema, root = resolved(schema, root or schema)
    if "const" in schema and value != schema["const"]:
        yield f"{place}: {value!r} is not {schema['const']!r}"
    types = schema.get("type", [])
    types = [types] if isinstance(types, str) else types
    if types and not any(is_of(value, t) for t in types):
        yield f"{place}: {value!r} is not of type {types}"
    elif isinstance(value, dict):
        yield from object_violations(value, schema, root, place)
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from violations(item, schema["items"], f"{place}[{index}]", root)
