#!/usr/bin/env python3
"""Writes the tables of docs/serve/api.md, and docs/schemas/openapi.json whole, from what the program serves.

tools/make_api_docs.py build/release/tests/tools/dump_api
"""

import json
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
DOCUMENT = ROOT / "docs/schemas/openapi.json"
PAGE = ROOT / "docs/serve/api.md"
CALLS = re.compile(r"(?<=<!-- calls -->\n).*?(?=<!-- end of calls -->)", re.DOTALL)
PROBLEMS = re.compile(r"(?<=<!-- problems -->\n).*?(?=<!-- end of problems -->)", re.DOTALL)
ROW = re.compile(r'SONDE_PROBLEM\((\d+), (\w+), "([^"]*)"')


def document_of(program):
    return subprocess.run([program], capture_output=True, text=True, check=True).stdout


def operations(document):
    for path, methods in document["paths"].items():
        yield from ((method.upper(), path, operation) for method, operation in methods.items())


def body_names(schema):
    """The keys of a body; of one that stands among the components, its name."""
    reference = schema.get("$ref", "").rpartition("/")[2]
    return [f"`{reference}`"] if reference else [f"`{name}`" for name in schema.get("properties", {})]


def row(method, path, operation):
    names = [f"`{p['name']}`" for p in operation.get("parameters", []) if p["in"] == "query"]
    body = operation.get("requestBody", {}).get("content", {}).get("application/json", {}).get("schema", {})
    names += [f"body: {name}" for name in body_names(body)]
    role = operation["x-sonde-role"].replace("none", "-")
    return f"| `{method} {path}` | {role} | {operation['summary']} | {', '.join(names)} |\n"


def calls_table(document):
    head = "| call | role | what it gives or does | parameters |\n|---|---|---|---|\n"
    return head + "".join(row(*operation) for operation in operations(document))


def problems_table():
    rows = ROW.findall((ROOT / "src/api/problems_en.inc").read_text(encoding="utf-8"))
    head = "| status | code | what it says |\n|---|---|---|\n"
    return head + "".join(f"| {status} | `{code}` | {title} |\n" for status, code, title in rows)


def page_of(text, document):
    text = CALLS.sub(lambda _: calls_table(document), text)
    return PROBLEMS.sub(lambda _: problems_table(), text)


def main():
    text = document_of(sys.argv[1])
    DOCUMENT.write_text(text, encoding="utf-8")
    PAGE.write_text(page_of(PAGE.read_text(encoding="utf-8"), json.loads(text)), encoding="utf-8")


if __name__ == "__main__":
    main()
