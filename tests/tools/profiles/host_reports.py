#!/usr/bin/env python3
"""Compares all reports of the host and the counters with a second computation, on simulated runs that contain every
table."""

import pathlib
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "reference"))

import compare
import compare_host

RUNS = {"training": ["--program", "training", "--iterations", "8"],
        "two_gpus": ["--program", "training", "--gpus", "2", "--iterations", "6", "--seed", "3"],
        "inference": ["--program", "inference", "--iterations", "10", "--seed", "2"]}


def main():
    cells = problems = 0
    with tempfile.TemporaryDirectory() as folder:
        for name, options in RUNS.items():
            path = pathlib.Path(folder) / f"{name}.sqlite"
            made = compare.run_sonde("synth", *options, "-o", path)
            if made.returncode != 0:
                sys.exit(made.stderr)
            check = compare_host.check_nsys(path, "iteration")
            cells += check.cells
            problems += compare_host.report(name, check)
    compare_host.exit_of(cells, problems)


if __name__ == "__main__":
    main()
