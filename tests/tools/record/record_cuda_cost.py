#!/usr/bin/env python3
"""A recording states what its own events cost, by a CUPTI whose cost is known."""

import json
import sqlite3
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "shared"))
from _cuda import LATEST, Cuda, accounts, record
from _recorded import PATIENCE_S, SONDE, check

PLANTED_NS = 20_000  # of each call that is recorded
COSTS = "SELECT eventKind, costNs FROM SONDE_EVENT_COST"


def step_of(profile):
    """What `sonde summary` says of the step with and without the recorder."""
    done = subprocess.run([SONDE, "summary", "--json", str(profile)], capture_output=True, text=True, timeout=PATIENCE_S,
                          check=True)
    return json.loads(done.stdout)["recorder"]


def costs(folder, name, version, faults="", options=()):
    """{kind: ns}; the profile has what the program did, and nothing of what was done to measure."""
    path = folder / f"{name}.sqlite"
    done = record(path, "paced", 100, version=version, faults=faults, options=options)
    recorded = Cuda(path)
    account = accounts(done)[0]
    check(recorded.kernels() == account["kernels"], (name, done.stderr))
    check(sum(recorded.api().values()) == account["api_calls"], (name, account, recorded.api()))
    found = dict(recorded.rows(COSTS))
    for text in (f"took CUPTI {found['cuda_call']} ns", f"writing a record took about {found['event']} ns"):
        check(recorded.has_remark(text), (text, recorded.remarks()))
    return found


def stated(folder):
    """Where CUPTI can leave calls out, the call itself is not counted."""
    for version in ("11.8", LATEST):
        bare = costs(folder, f"bare{version}", version)
        dear = costs(folder, f"dear{version}", version, f"call_cost={PLANTED_NS}")
        check(bare["cuda_call"] < PLANTED_NS <= dear["cuda_call"] + PLANTED_NS // 20, (version, bare, dear))
    costs(folder, "all", LATEST, options=["--cuda-trace-all-apis=true"])


def taken_out(folder):
    """The step without the recorder is shorter by what its calls cost, at most; a profile without the table is as it is."""
    path = folder / f"dear{LATEST}.sqlite"
    step = step_of(path)
    check(step["low_ns"] <= step["without_ns"] < step["recorded_ns"], step)
    check("without the profiler's own cost" in step["notes"][0]["says"], step)
    with sqlite3.connect(path) as db:
        db.execute("DROP TABLE SONDE_EVENT_COST")
    check(step_of(path) is None, "no cost is stated")


def main():
    with tempfile.TemporaryDirectory() as name:
        for part in (stated, taken_out):
            print(f"{part.__name__}: {part(Path(name)) or 'ok'}", flush=True)


if __name__ == "__main__":
    main()
