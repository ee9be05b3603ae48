#!/usr/bin/env python3
"""Measures the programs of planted.py and kernel_cases without a profiler: all variants of a case in turns, five rounds,
each variant in a process of its own that waits for its turn. Then records each with PyTorch's profiler (kernels: with
Nsight Compute, if --ncu names it) and with Sonde.

    truth.py CASE... --into FOLDER [--kernels PROGRAM] [--seconds N]

FOLDER/truth.json has a row for each variant, and the profiles are next to it. A case that is measured again replaces its
rows; rows of other cases stay. A case whose time is up has its rows without the profiles that are missing."""

import argparse
import contextlib
import importlib.metadata
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
GRACE_S = 10
WARM_UP = 3  # launches of kernel_cases before the one that is recorded
RECORD = [os.environ.get("SONDE", "sonde"), "record", "--self-test=false", "-f"]
GPU_FIELDS = ("name,driver_version,memory.total,clocks.sm,clocks.mem,clocks.max.sm,power.limit,temperature.gpu,"
              "pcie.link.gen.current,pcie.link.width.current")
folder = Path()  # --into


class Variant:
    """A process of a program that runs a round when asked. `lacks`: why it cannot."""

    def __init__(self, case, name):
        self.name = name
        self.rounds = []
        self.words = [*case.words, name, *case.options]
        self.log = folder / f"{case.name}.{name}.log"
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


class Case:
    """A case and the program that runs its variants. `options`: of that program, after CASE VARIANT."""

    def __init__(self, name, program, described, options):
        self.name = name
        self.words = [*program, name]
        self.options = options
        self.variants, self.steps = described["variants"], described["steps"]
        self.kind, self.wrong, self.fix = described["kind"], described["wrong"], described["fix"]

    def measure(self, end):
        """[row]: those of the variants that run here."""
        variants = []
        try:
            for name in self.variants:
                variants.append(Variant(self, name))
            running = [variant for variant in variants if variant.lacks is None]
            for _ in range(ROUNDS):
                if time.monotonic() > end:
                    break
                for variant in running:
                    variant.run_round()
        finally:
            for variant in variants:
                variant.end()
        return self.rows(variants)

    def rows(self, variants):
        rows = []
        for variant in variants:
            row = {"case": self.name, "variant": variant.name, "kind": self.kind,
                   "wrong": self.wrong if variant is variants[0] else "", "fix": self.fix}
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
    """Its last line that is JSON, {} without one; None where it failed or its time was up. Keeps all that it printed."""
    left = end - time.monotonic() - GRACE_S
    if left < GRACE_S:
        return None
    with log.open("w") as file:
        print(*words, file=file, flush=True)
        process = subprocess.Popen([str(word) for word in words], stdout=file, stderr=file, stdin=subprocess.DEVNULL)
    code = wait(process, left)
    accounts = [line for line in log.read_text(errors="replace").splitlines() if line.startswith("{")]
    return (json.loads(accounts[-1]) if accounts else {}) if code == 0 else None


def wait(process, seconds):
    """Its exit code. A recorder that is asked to end writes what it has."""
    for stop in (process.terminate, process.kill):
        try:
            return process.wait(seconds)
        except subprocess.TimeoutExpired:
            stop()
            seconds = GRACE_S
    return process.wait()


def record_steps(row, words, is_cuda, end):
    """Under PyTorch's profiler, and under Sonde."""
    name = f"{row['case']}.{row['variant']}"
    trace, profile = folder / f"{name}.pt.trace.json.gz", folder / f"{name}.sqlite"
    found = run([*words, "--torch-profiler", trace], end, folder / f"{name}.torch.log")
    if found and trace.exists():
        row |= {"profile": trace.name, **found}
    part = ["-c", "cudaProfilerApi", "--capture-range-end=stop"] if is_cuda else []
    found = run([*RECORD, "-t", "cuda,nvtx", *part, "-o", profile, "--", *words], end, folder / f"{name}.sonde.log")
    if found and profile.exists():
        row |= {"sonde_profile": profile.name, "sonde_profiled_ms": found["profiled_ms"]}


def record_kernel(row, words, ncu, end):
    """One launch under Nsight Compute if there is one, and under Sonde."""
    name = f"{row['case']}.{row['variant']}"
    report, profile = folder / f"{name}.ncu-rep", folder / f"{name}.sqlite"
    one = ["--launch-skip", WARM_UP, "--launch-count", 1]
    if ncu and run([ncu, "-f", "--set", "full", *one, "-o", report, *words], end, folder / f"{name}.ncu.log"):
        row |= {"profile": report.name}
    if run([*RECORD, "--set", "full", *one, "-o", profile, "--", *words], end, folder / f"{name}.sonde.log"):
        row |= {"sonde_profile": profile.name}


def printed(*words):
    try:
        return subprocess.run(words, capture_output=True, text=True, check=True, timeout=60).stdout.strip()
    except (OSError, subprocess.SubprocessError):
        return ""


def machine():
    def version(name):
        with contextlib.suppress(importlib.metadata.PackageNotFoundError):
            return importlib.metadata.version(name)

    return {"python": platform.python_version(), "cores": os.cpu_count(), "torch": version("torch"),
            "transformers": version("transformers"),
            "gpu": printed("nvidia-smi", f"--query-gpu={GPU_FIELDS}", "--format=csv,noheader").split("\n")[0] or None}


def cases(options):
    """PyTorch is loaded only if a case needs it."""
    tiny = ["--tiny"] * options.tiny
    kernels = json.loads(printed(options.kernels, "--list")) if options.kernels else {}
    planted = [sys.executable, str(PLANTED)]
    steps = {} if kernels.keys() >= set(options.cases) else json.loads(printed(*planted, "--list"))
    for name in options.cases:
        if name in kernels:
            yield Case(name, [options.kernels], kernels[name], tiny)
        else:
            yield Case(name, planted, steps[name], ["--device", options.device, *tiny])


def write(rows, case):
    """Before and after the profiles: what was measured stays if the time is up."""
    path = folder / "truth.json"
    document = json.loads(path.read_text()) if path.exists() else {"machine": machine(), "rows": []}
    document["rows"] = [row for row in document["rows"] if row["case"] != case] + rows
    new = path.with_suffix(".new")  # the time of this process may be up at any moment
    new.write_text(json.dumps(document, indent=1) + "\n")
    new.replace(path)


def main():
    global folder  # pylint: disable=global-statement
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("cases", nargs="+")
    parser.add_argument("--into", type=Path, required=True)
    parser.add_argument("--seconds", type=float, default=600)
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--tiny", action="store_true")
    parser.add_argument("--kernels", help="kernel_cases")
    parser.add_argument("--ncu", help="Nsight Compute")
    options = parser.parse_args()
    end = time.monotonic() + options.seconds
    folder = options.into
    folder.mkdir(parents=True, exist_ok=True)
    for case in cases(options):
        rows = case.measure(end)
        write(rows, case.name)
        for row in rows:
            if "lacks" in row:
                continue
            words = [*case.words, row["variant"], "--steps", str(case.steps), *case.options]
            if case.kind == "kernel":
                record_kernel(row, words, options.ncu, end)
            else:
                record_steps(row, words, options.device != "cpu", end)
            write(rows, case.name)
        print(json.dumps({row["variant"]: row.get("wall_ms", {}).get("median", row.get("lacks")) for row in rows}))


if __name__ == "__main__":
    main()
