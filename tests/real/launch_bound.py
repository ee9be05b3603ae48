#!/usr/bin/env python3
"""Compares the numbers of the finding launch_bound with a second computation: on real nsys exports, on PyTorch traces
converted to such, and on simulated runs.

usage: SONDE_TEST_DATA=FOLDER [SONDE=PROGRAM] launch_bound.py [PART OF A FILE'S NAME...]
"""

import json
import pathlib
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "reference"))

import compare
import launch_stretches as reference


def difference(path, name):
    """1 where the two differ, 0 where they agree, None where there is nothing to compare."""
    result = compare.run_sonde("why", "--json", path)
    if result.returncode != 0:
        return None
    document = json.loads(result.stdout)
    if document["steps"] and "launches from" in document["steps"]["range"]:
        return None  # the reference finds steps by their ranges
    arguments = {finding["id"]: finding["arguments"] for finding in document["findings"]}
    # Idle time that tiny_kernels tells is left out there, and the reference does not know of it.
    if "launch_bound" not in arguments or "tiny_kernels" in arguments:
        return None
    found = (arguments["launch_bound"]["launches"], arguments["launch_bound"]["time_ns"])
    expected = reference.totals(path, document["steps"])
    print(f"{'ok' if found == expected else 'DIFFERS':8}{name}  {found}, expected {expected}")
    return int(found != expected)


def paths(folder):
    for path in compare.selected(compare.data_folder("nsys_sqlite").glob("*.sqlite")):
        yield path, path.name
    for path in compare.selected(compare.data_folder("kineto").glob("tracelens*.json.gz")):
        converted = folder / "trace.sqlite"
        if compare.run_sonde("convert", path, converted, "--force-overwrite").returncode == 0:
            yield converted, path.name
    for plants in (["launch_bound"], ["launch_bound", "sync"]):
        run = folder / "run.sqlite"
        options = [word for plant in plants for word in ("--plant", plant)]
        compare.run_sonde("synth", "--program", "tuned", "--gpus", "2", *options, "-o", run, "--force-overwrite")
        yield run, f"simulated with {' and '.join(plants)}"


def main():
    with tempfile.TemporaryDirectory() as folder:
        results = [difference(path, name) for path, name in paths(pathlib.Path(folder))]
    compared = [result for result in results if result is not None]
    print(f"{len(compared)} of {len(results)} profiles compared, {sum(compared)} differ")
    return 1 if sum(compared) or not compared else 0


if __name__ == "__main__":
    sys.exit(main())
