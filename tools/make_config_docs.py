#!/usr/bin/env python3
"""Writes what is made of the keys of config.yaml: make_config_docs.py DUMP_CONFIG [--check]. DUMP_CONFIG is the tool
build/release/tests/tools/dump_config.

    docs/serve/configuration.md           the tables between its marks
    docs/schemas/configuration.schema.json  JSON schema
    examples/config.yaml            all keys at their defaults

--check writes nothing and fails where a file is out of date."""

import json
import subprocess
import sys
import textwrap
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
BEGIN = "<!-- made by tools/make_config_docs.py -->\n"
END = "<!-- end -->\n"
WIDTH = 110
SAMPLES = {
    "gpu.multi_gpu.task_specific_mappings": ["image_segmentation: gpu_0", "text_generation: gpu_1"],
    "sonde.alerts.alertmanagers": ["- http://alertmanager:9093"],
    "sonde.alerts.labels": ["cluster: east"],
    "sonde.tasks.types": [
        "training:",
        "  description: one training run",
        "  command: [/usr/bin/python3, /srv/models/train.py, --amp]",
        "  allow_arguments: true",
        "  allow_environment: [OMP_NUM_THREADS]",
        "  environment: {PYTHONUNBUFFERED: 1}",
        "  working_directory: /srv/models",
        "  gpus: 2",
        "  memory_bytes: 16GiB      # without it, it is learned",
        "  time_limit: 86400",
        "  priority: low",
        "  profile: every 100",
        "classification:",
        "  model: resnet50",
        "  workers: {gpu_0: \"http://127.0.0.1:8000\", gpu_1: \"http://127.0.0.1:8010\"}",
    ],
}


def rows_of(dump_config):
    printed = subprocess.run([dump_config, "rows"], check=True, capture_output=True, text=True).stdout
    return json.loads(printed)


def section_of(row):
    return row["name"].rpartition(".")[0]


def sections_of(rows):
    return list(dict.fromkeys(section_of(row) for row in rows))


def yaml_value(row):
    """The default as YAML: JSON, but for numbers that people write without a fraction, and lists with blanks."""
    return json.dumps(row["default"], ensure_ascii=False)


def table(rows, section):
    yield f"### `{section}`\n\n| key | allowed | default | meaning |\n|---|---|---|---|\n"
    for row in rows:
        if section_of(row) != section:
            continue
        key = row["name"].rpartition(".")[2]
        cells = [row["allowed"], f"`{yaml_value(row)}`", row["description"] + (" (R)" if row["needs_restart"] else "")]
        cells = [cell.replace("|", "\\|").replace("<", "&lt;") for cell in cells]
        yield f"| `{key}` | " + " | ".join(cells) + " |\n"


def types_table(rows):
    """The keys of an entry of sonde.tasks.types."""
    for row in rows:
        if "keys" in row:
            named = [{**key, "name": f"{row['name']}.NAME.{key['name']}"} for key in row["keys"]]
            yield "".join(table(named, f"{row['name']}.NAME"))


def page(rows):
    path = ROOT / "docs/serve/configuration.md"
    before, rest = path.read_text(encoding="utf-8").split(BEGIN)
    after = rest.split(END)[1]
    tables = "\n".join([*("".join(table(rows, section)) for section in sections_of(rows)), *types_table(rows)])
    return path, before + BEGIN + "\n" + tables + "\n" + END + after


def bounds(row):
    lower = "exclusiveMinimum" if row["least_is_refused"] else "minimum"
    return {lower: row["least"], "maximum": row["most"]}


def text_schema(row):
    return {"type": "string", "pattern": row["pattern"]}


def types_schema(row):
    keys = {key["name"]: described(key) for key in row["keys"]}
    entry = {"type": "object", "additionalProperties": False, "properties": keys}
    return {"type": ["object", "null"], "propertyNames": {"minLength": 1}, "additionalProperties": entry}


# Numbers and flags without quotation marks are texts where a text is wanted: --epochs 10.
WORD = {"type": ["string", "number", "boolean"]}


def key_schema(row):
    kind = row["kind"]
    return {
        "flag": lambda: {"type": "boolean"},
        "whole": lambda: {"type": "integer", **bounds(row)},
        "number": lambda: {"type": "number", **bounds(row)},
        "capability": lambda: {"type": ["number", "string"], "minimum": 1, "exclusiveMaximum": 100,
                               "pattern": "^[1-9][0-9]?([.][0-9])?$"},
        "one_of": lambda: {"enum": row["names"]},
        "some_of": lambda: {"type": "array", "items": {"enum": row["names"]}, "minItems": 1, "uniqueItems": True},
        "text": lambda: text_schema(row),
        "texts": lambda: {"type": ["array", "null"], "items": text_schema(row), "uniqueItems": True},
        "gpu_by_type": lambda: {"type": ["object", "null"], "propertyNames": {"minLength": 1},
                                "additionalProperties": text_schema(row)},
        "levels": lambda: {"type": "object", "minProperties": 1, "propertyNames": {"minLength": 1},
                           "additionalProperties": {"type": "integer", **bounds(row)}},
        "labels": lambda: {"type": ["object", "null"], "propertyNames": {"pattern": row["pattern"]},
                           "additionalProperties": {"type": "string"}},
        "size": lambda: {"type": ["integer", "string"], **bounds(row),
                         "pattern": "^[0-9]+([.][0-9]+)? ?([KMGT]i?B|B)?$"},
        "words": lambda: {"type": ["array", "null"], "items": WORD},
        "variables": lambda: {"type": ["object", "null"], "propertyNames": {"pattern": row["pattern"]},
                              "additionalProperties": WORD},
        "url_by_gpu": lambda: {"type": ["object", "null"], "propertyNames": {"pattern": row["name_pattern"]},
                               "additionalProperties": text_schema(row)},
        "task_types": lambda: types_schema(row),
    }[kind]()  # fmt: skip


def described(row):
    restart = ". Read only at startup" if row["needs_restart"] else ""
    unit = f", in {row['unit']}" if row["unit"] not in ("", "share") else ""
    return {"description": row["description"] + unit + restart, "default": row["default"], **key_schema(row)}


def empty_section():
    return {"type": ["object", "null"], "additionalProperties": False, "properties": {}}


def schema(rows):
    root = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "config.yaml of sonde serve",
        "description": "Sections beside gpu and sonde are left alone.",
        "type": ["object", "null"],
        "properties": {},
    }
    for row in rows:
        *sections, key = row["name"].split(".")
        place = root
        for section in sections:
            place = place["properties"].setdefault(section, empty_section())
        place["properties"][key] = described(row)
    return ROOT / "docs/schemas/configuration.schema.json", json.dumps(root, indent=2, ensure_ascii=False) + "\n"


def wrapped(text, indent):
    return textwrap.wrap(text, WIDTH, initial_indent=indent + "# ", subsequent_indent=indent + "#   ",
                         break_on_hyphens=False)  # fmt: skip


def comment(row, indent):
    yield ""
    yield from wrapped(row["description"] + (" (read only at startup)" if row["needs_restart"] else ""), indent)
    yield from wrapped("allowed: " + row["allowed"], indent)


def example_lines(rows):
    yield "# The configuration of sonde serve with all its keys, each at its default. All of them are optional."
    yield "# docs/serve/configuration.md says more; `sonde serve --validate-config --config FILE` checks a file."
    open_sections = []
    for row in rows:
        *sections, key = row["name"].split(".")
        common = 0
        while common < min(len(sections), len(open_sections)) and sections[common] == open_sections[common]:
            common += 1
        for depth in range(common, len(sections)):
            yield ""
            yield "  " * depth + sections[depth] + ":"
        open_sections = sections
        indent = "  " * len(sections)
        yield from comment(row, indent)
        yield f"{indent}{key}: {yaml_value(row)}"
        yield from (f"{indent}#   {line}" for line in SAMPLES.get(row["name"], []))


def example(rows):
    return ROOT / "examples/config.yaml", "\n".join(example_lines(rows)) + "\n"


def main():
    rows = rows_of(sys.argv[1])
    stale = []
    for path, text in (page(rows), schema(rows), example(rows)):
        if "--check" not in sys.argv:
            path.write_text(text, encoding="utf-8")
        elif not path.exists() or path.read_text(encoding="utf-8") != text:
            stale.append(f"{path.relative_to(ROOT)} is out of date: ./dev docs configuration")
    print("\n".join(stale), end="\n" if stale else "")
    return 1 if stale else 0


if __name__ == "__main__":
    sys.exit(main())
