"""Runs damage_report over the real reports of a format: SAMPLE in each run of the tests, ALL in tests/full."""

import concurrent.futures
import os
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "reference"))

import compare

SAMPLE = ("100", "300")  # random prefixes, random changes
ALL = ("2000", "10000")
SEED = "1"


def check(path, amount):
    tool = pathlib.Path(os.environ["TEST_TOOLS"]) / "damage_report"
    environment = os.environ | {"SONDE_THREADS": "1"}
    result = subprocess.run([tool, path, *amount, SEED], capture_output=True, text=True, check=False, env=environment)
    print(f"{'ok' if result.returncode == 0 else 'FAILED':8}{path.name}  {(result.stdout + result.stderr).strip()}", flush=True)
    return result.returncode != 0


def run(folder, pattern, amount):
    """The exit code. Arguments of the script are parts of file names."""
    paths = compare.selected(compare.data_folder(folder).glob(pattern))
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        failed = sum(pool.map(lambda path: check(path, amount), paths))
    return 1 if failed or not paths else 0
