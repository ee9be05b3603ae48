#!/usr/bin/env python3
"""Measures the programs of planted.py without a profiler: all variants of a case in turns, five rounds, each variant in
a process of its own that waits for its turn. Then records each with PyTorch's profiler and with Sonde.

    truth.py CASE... --into FOLDER [--seconds N]

FOLDER/truth.json has a row for each variant, and the profiles are next to it. A case that is measured again replaces its
rows; rows of other cases stay. A case whose time is up has its rows without the profiles that are missing."""

import argparse
import json
import os
import platform
import statistics
import subprocess
import sys
import time
from pathlib import Path

ROUNDS = 5
PLANTED = Path(__file__).parent / "planted.py"
CANNOT = 3
SONDE = os.environ.get("SONDE", "sonde")
GPU_FIELDS = ("name,driver_version,memory.total,clocks.sm,clocks.mem,clocks.max.sm,power.limit,temperature.gpu,"
              "pcie.link.gen.current,pcie.link.width.current")
folder = Path()  # --into


class Variant:
    """A process of planted.py that runs a round when asked. `lacks`: why it cannot."""

    def __init__(self, case, name, options):
        self.name = name
        self.rounds = []
        self.words = [sys.executable, str(PLANTED), case, name, *options]
        self.log = folder / f"{case}.{name}.log"
        with self.log.open("w") as log:
            self.process = subprocess.Popen([*self.words, "--serve"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log,
                                            text=True)
        first = self.process.stdout.readline()
        self.iterations = json.loads(first)["iterations"] if first else 0
        self.lacks = None if first else self.why_it_ended()

    def why_it_ended(self):
        code = self.process.wait()
        said = self.log.read_text().strip().splitlines()[-1:] or ["nothing"]
        if code != CANNOT:
            raise SystemExit(f"{' '.join(self.words)} ended with {code}: {said[0]} (all of it: {self.log})")
        return said[0]

    def run_round(self):
        self.process.stdin.write("round\n")
        self.process.stdin.flush()
        self.rounds.append(json.loads(self.process.stdout.readline() or self.why_it_ended()))

    def end(self):
        self.process.stdin.close()
        self.process.wait()

    def row(self):
        row = {"iters_per_round": self.iterations}
        for name in ("wall_ms", "event_ms", "host_ms"):
            values = [round(found[name], 5) for found in self.rounds if name in found]
            if values:
                row[name] = {"median": statistics.median(values), "min": min(values), "max": max(values), "rounds": values}
        return row




def measure(case, described, options, end):
    """[row]: those of the variants that run here."""
    variants = []
    try:
        for name in described["variants"]:
            variants.append(Variant(case, name, options))
        running = [variant for variant in variants if variant.lacks is None]
        for _ in range(ROUNDS):
            if time.monotonic() > end:
                break
            for variant in running:
                variant.run_round()
    finally:
        for variant in variants:
            variant.end()
    return rows_of(case, described, variants)


def rows_of(case, described, variants):
    rows = []
    for variant in variants:
        row = {"case": case, "variant": variant.name, "kind": "timeline",
               "wrong": described["wrong"] if variant is variants[0] else "", "fix": described["fix"]}
        if variant.lacks:
            row["lacks"] = variant.lacks
        elif variant.rounds:
            row |= variant.row()
        if rows and "wall_ms" in row and "wall_ms" in rows[0]:
            before, after = rows[0]["wall_ms"]["median"], row["wall_ms"]["median"]
            row |= {"saves_ms": round(before - after, 5), "saves_percent": round(100 * (before - after) / before, 2)}
        rows.append(row)
    return rows


def run(words, end, log):
    """The last line as JSON; None where it failed or its time was up."""
    left = end - time.monotonic()
    if left < 10:
        return None
    try:
        done = subprocess.run([str(word) for word in words], capture_output=True, text=True, timeout=left, check=False)
    except (subprocess.TimeoutExpired, OSError) as error:
        log.write_text(f"{' '.join(map(str, words))}\n{error}\n")
        return None
    log.write_text(f"{' '.join(map(str, words))}\n{done.stdout}{done.stderr}")
    lines = done.stdout.strip().splitlines()
    return json.loads(lines[-1]) if done.returncode == 0 and lines else None


def record(row, options, is_cuda, end):
    """Under PyTorch's profiler, and under Sonde."""
    name = f"{row['case']}.{row['variant']}"
    words = [sys.executable, PLANTED, row["case"], row["variant"], *options, "--steps", str(row["steps"])]
    trace = folder / f"{name}.pt.trace.json.gz"
    found = run([*words, "--torch-profiler", trace], end, folder / f"{name}.torch.log")
    if found and trace.exists():
        row |= {"profile": trace.name, **found}
    profile = folder / f"{name}.sqlite"
    part = ["-c", "cudaProfilerApi", "--capture-range-end=stop"] if is_cuda else []
    found = run([SONDE, "record", "--self-test=false", "-f", "-t", "cuda,nvtx", *part, "-o", profile, "--", *words], end,
                folder / f"{name}.sonde.log")
    if found and profile.exists():
        row |= {"sonde_profile": profile.name, "sonde_profiled_ms": found["profiled_ms"]}


def printed(*words):
    try:
        return subprocess.run(words, capture_output=True, text=True, check=True, timeout=60).stdout.strip()
    except (OSError, subprocess.SubprocessError):
        return ""


def machine():
    versions = printed(sys.executable, "-c", "import torch; print(torch.__version__)")
    others = printed(sys.executable, "-c", "import transformers; print(transformers.__version__)")
    return {"python": platform.python_version(), "cores": os.cpu_count(), "torch": versions, "transformers": others or None,
            "gpu": printed("nvidia-smi", f"--query-gpu={GPU_FIELDS}", "--format=csv,noheader").split("\n")[0] or None}


def write(rows, case):
    """Before and after the profiles: what was measured stays if the time is up."""
    path = folder / "truth.json"
    document = json.loads(path.read_text()) if path.exists() else {"machine": machine(), "rows": []}
    document["rows"] = [row for row in document["rows"] if row["case"] != case] + [
        {key: value for key, value in row.items() if key != "steps"} for row in rows]
    path.write_text(json.dumps(document, indent=1) + "\n")


def main():
    global folder  # pylint: disable=global-statement
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("cases", nargs="+")
    parser.add_argument("--into", type=Path, required=True)
    parser.add_argument("--seconds", type=float, default=600)
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--tiny", action="store_true")
    options = parser.parse_args()
    end = time.monotonic() + options.seconds
    folder = options.into
    folder.mkdir(parents=True, exist_ok=True)
    program_options = ["--device", options.device] + ["--tiny"] * options.tiny
    described = json.loads(printed(sys.executable, str(PLANTED), "--list"))
    for case in options.cases:
        rows = measure(case, described[case], program_options, end)
        write(rows, case)
        for row in rows:
            row["steps"] = described[case]["steps"]
            if "lacks" not in row:
                record(row, program_options, options.device != "cpu", end)
                write(rows, case)
        print(json.dumps({row["variant"]: row.get("wall_ms", {}).get("median", row.get("lacks")) for row in rows}))


if __name__ == "__main__":
    main()
