#!/usr/bin/env python3
"""Checks that docs/serve/configuration.md, docs/schemas/configuration.schema.json and examples/config.yaml match the
program's keys, and that the schema accepts the examples and refuses files with mistakes. PyYAML and jsonschema read
them, not the program."""

import json
import os
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "shared"))
from _schema import ROOT, load

DUMP_CONFIG = Path(os.environ["TEST_TOOLS"]) / "dump_config"
WRONG = ROOT / "tests/config/wrong"
EXAMPLES = ROOT / "examples"

# Mistakes that no schema of one value sees: several keys together, or what PyYAML reads otherwise and without a word.
BEYOND_THE_SCHEMA = {
    "address_is_a_name", "address_of_all_without_tls", "address_out_of_range", "address_with_port",
    "default_strategy_not_listed", "endpoint_climbs", "endpoint_in_the_api", "endpoint_is_health", "key_twice",
    "label_is_reserved", "mapping_twice", "mapping_uuid_too_short", "merge_key", "number_like_octal",
    "number_is_hexadecimal", "number_with_underscores", "priority_levels_without_default", "priority_not_among_levels",
    "quote_not_closed", "section_twice", "source_without_description", "strategy_not_listed", "tls_without_certificate",
    "task_profile_without_command", "task_profile_without_output", "task_type_arguments_without_command",
    "task_type_key_twice", "task_type_model_without_workers", "task_type_relative_program", "task_type_runs_nothing",
    "task_type_twice", "task_type_unknown_priority", "task_type_with_both", "task_type_workers_with_gpus",
    "tls_without_key", "capability_with_two_digits", "number_is_nan", "utf16",
}  # fmt: skip

# What the four files of the documentation set, as it says in words.
SETTINGS = {
    "config_basic.yaml": {"gpu.multi_gpu.default_strategy": "least_loaded", "gpu.multi_gpu.min_batch_size_per_gpu": 4,
                          "gpu.multi_gpu.max_concurrent_tasks_per_gpu": 8,
                          "gpu.multi_gpu.queue_processing_interval": 0.1},
    "config_task_specific.yaml": {"gpu.multi_gpu.default_strategy": "task_specific",
                                  "gpu.min_compute_capability": 7.0,
                                  "gpu.multi_gpu.task_specific_mappings": {"image_segmentation": "gpu_0",
                                                                           "text_generation": "gpu_1",
                                                                           "object_detection": "gpu_2"}},
    "config_high_performance.yaml": {"gpu.memory_threshold": 0.95, "gpu.utilization_threshold": 0.98,
                                     "gpu.multi_gpu.default_strategy": "memory_optimized",
                                     "gpu.multi_gpu.min_batch_size_per_gpu": 8,
                                     "gpu.multi_gpu.max_concurrent_tasks_per_gpu": 16,
                                     "gpu.multi_gpu.queue_processing_interval": 0.05},
    "config_high_reliability.yaml": {"gpu.memory_threshold": 0.8, "gpu.utilization_threshold": 0.9,
                                     "gpu.max_temperature": 80, "gpu.health_check_interval": 30,
                                     "gpu.multi_gpu.default_strategy": "least_loaded",
                                     "gpu.multi_gpu.min_batch_size_per_gpu": 2,
                                     "gpu.multi_gpu.max_concurrent_tasks_per_gpu": 4,
                                     "gpu.multi_gpu.queue_processing_interval": 0.2,
                                     "gpu.multi_gpu.queue_timeout": 1800},
}  # fmt: skip


def printed(*command):
    return subprocess.run(command, cwd=EXAMPLES, capture_output=True, text=True, check=False).stdout


def flat(document, prefix=""):
    """Values by dotted key; a value that is an object itself stands whole too."""
    for key, value in document.items():
        yield prefix + key, value
        if isinstance(value, dict):
            yield from flat(value, f"{prefix}{key}.")


def values_of(name):
    return dict(flat(json.loads(printed(DUMP_CONFIG, "values", name))))


def example_failures():
    defaults = {row["name"]: row["default"] for row in json.loads(printed(DUMP_CONFIG, "rows"))}
    for name, settings in {"config.yaml": {}, **SETTINGS}.items():
        values = values_of(name)
        for key, expected in (defaults | settings).items():
            if values.get(key) != expected:
                yield f"examples/{name}: {key} is {values.get(key)}, not {expected}"


def schema_failures(yaml, jsonschema):
    schema = load("configuration.schema.json")
    jsonschema.Draft202012Validator.check_schema(schema)
    validator = jsonschema.Draft202012Validator(schema)
    for path in sorted(EXAMPLES.glob("config*.yaml")):
        document = yaml.safe_load(path.read_text())
        yield from (f"{path.name}: {e.json_path}: {e.message}" for e in validator.iter_errors(document))
    for path in sorted(WRONG.glob("*.yaml")):
        try:
            document = yaml.safe_load(path.read_bytes())
        except (yaml.YAMLError, UnicodeDecodeError, RecursionError):
            continue
        if path.stem == "alias_bomb":  # written out by the validator's message
            continue
        if validator.is_valid(document) != (path.stem in BEYOND_THE_SCHEMA):
            yield f"{path.name}: the schema {'takes' if validator.is_valid(document) else 'refuses'} it"


def main():
    stale = printed(sys.executable, ROOT / "tools/make_config_docs.py", DUMP_CONFIG, "--check")
    found = stale.splitlines() + list(example_failures())
    try:
        import jsonschema
        import yaml

        found += schema_failures(yaml, jsonschema)
    except ImportError as e:
        print(f"the schema is not tried: {e}")
        return 1 if found else 77
    print("\n".join(found) or "reference, schema and examples say what the program says")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
