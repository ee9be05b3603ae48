#!/usr/bin/env python3
"""Tests `sonde gate run`: it runs commands, reads their profiles and decides; it repeats throttled runs, stops at
failures, and leaves nothing behind. `sonde gate calibrate` and `selftest` measure the noise of such runs."""

import json
import os
import re
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "shared"))
from _schema import load, violations

SONDE = os.environ["SONDE"]
WALL = "version: 1\nrules:\n  - wall_time <= 1 min\n"
STEP = "version: 1\nrules:\n  - metric: step_time\n    max_change: 3 %\n  - metric: launches_per_step\n"

# A program under a profiler: each run is another one of the same kind.
PROFILED = """#!/bin/sh
out=$1; shift
n=$(cat "$COUNTER"); echo $((n + 1)) > "$COUNTER"
exec "$SONDE" synth --program tuned --iterations 12 --seed "$n" "$@" -o "$out".sqlite
"""
# Slowed in the query after the first run, and never again. Queries of newer drivers are not known to it.
SMI = """#!/bin/sh
case "$1" in
  *clocks_event_reasons*) echo 'Field "x" is not a valid field to query.'; exit 2 ;;
  *compute-apps*) exit 0 ;;
esac
n=$(cat "$SMI_COUNTER"); echo $((n + 1)) > "$SMI_COUNTER"
if [ "$SMI_SLOW" = "$n" ] || [ "$SMI_SLOW" = always ]; then mask=0x0000000000000040; else mask=0x0000000000000004; fi
echo "0, NVIDIA H100, GPU-1, 590.48, 88, 1410, $mask"
"""

failures = []


def check(holds, what):
    if not holds:
        failures.append(what)


class World:
    """A folder with programs, budgets and a place for temporary files."""

    def __init__(self, folder):
        self.folder = Path(folder)
        self.temporary = self.folder / "tmp"
        self.temporary.mkdir()
        self.environment = dict(os.environ, TMPDIR=str(self.temporary), COUNTER=str(self.folder / "count"))
        self.write("wall.yaml", WALL)
        self.write("step.yaml", STEP)
        self.write("change.yaml", "version: 1\nrules: [{metric: wall_time, max_change: 3 %}]\n")
        self.write("profiled", PROFILED).chmod(0o755)
        self.write("count", "1\n")

    def write(self, name, text):
        path = self.folder / name
        path.write_text(text)
        return path

    def sonde(self, *arguments, **environment):
        return subprocess.run([SONDE, *arguments], cwd=self.folder, capture_output=True, text=True, check=False,
                              env=dict(self.environment, **environment))

    def left(self):
        return sorted(path.name for path in self.temporary.rglob("*") if path.is_file())


def ended(run, code, what):
    check(run.returncode == code, f"{what}: exit code {run.returncode}, not {code}\n{run.stdout}{run.stderr}")


def counted_runs(run, side):
    return len(re.findall(rf"^{side} +\d+ of \d+: ", run.stderr, re.MULTILINE))


def wall_time(world):
    run = world.sonde("gate", "run", "-n", "3", "--warm-up", "2", "--most-disturbed", "0", "--budget", "wall.yaml",
                      "--keep", "kept", "--", "sh", "-c", "echo ran >> ran")
    ended(run, 0, "wall time")
    check((world.folder / "ran").read_text() == "ran\n" * 5, "three runs after two to warm up")
    records = sorted((world.folder / "kept").glob("*.record.json"))
    check(len(records) == 3, f"records that are kept: {records}")
    record = json.loads(records[0].read_text())
    check(record["conditions"]["kind"] == "wall time" and record["wall_ns"] > 0, f"record of a wall time: {record}")
    again = world.sonde("gate", "--budget", "wall.yaml", str(records[0]))
    ended(again, 0, "a kept record")
    absent = world.sonde("gate", "run", "-n", "2", "--budget", "step.yaml", "--base", str(records[0]), "--", "true")
    ended(absent, 4, "a metric that wall time alone has not")
    check(counted_runs(absent, "new") == 1, "what cannot be compared after a run is given up then")


# Half a second of user time: in the command, and in a child that it waits for.
SPIN = "import resource\nwhile resource.getrusage(resource.RUSAGE_SELF).ru_utime < 0.25: pass"


def cpu_time(world):
    world.write("spin.py", SPIN)
    world.write("cpu.yaml", "version: 1\nrules: [cpu_time >= 500 ms, cpu_time <= 5 s]\n")
    run = world.sonde("gate", "run", "-n", "1", "--warm-up", "0", "--budget", "cpu.yaml", "--keep", "spun", "--", "sh", "-c",
                      f"{sys.executable} spin.py; {sys.executable} spin.py; sleep 0.3")  # fmt: skip
    ended(run, 0, "CPU time")
    record = json.loads((world.folder / "spun" / "new-01.record.json").read_text())
    check(5e8 <= record["cpu_ns"] <= record["wall_ns"] - 2.9e8, f"CPU time without the wait: {record}")
    profiled = world.sonde("gate", "run", "-n", "1", "--warm-up", "0", "--budget", "cpu.yaml", "--", "./profiled", "{profile}")
    ended(profiled, 4, "the CPU time of a profiler is not the program's")
    check("cpu_time of the run was not measured in the new runs." in profiled.stdout, profiled.stdout)


def without_base(world):
    """All runs are made, since they become a baseline."""
    run = world.sonde("gate", "run", "-n", "3", "--warm-up", "0", "--budget", "change.yaml", "--keep", "first", "--", "true")
    ended(run, 4, "runs without a base")
    records = list((world.folder / "first").glob("new-*.record.json"))
    check(len(records) == 3, "three runs are made without a base")
    check(all("started_s" in json.loads(record.read_text()) for record in records), "records tell when they were made")


def planted(world):
    command = "./profiled {profile}"
    same = world.sonde("gate", "run", "-n", "6", "--max-runs", "6", "--warm-up", "0", "--budget", "step.yaml",
                       "--base-command", command, "--", *command.split())
    ended(same, 0, "equal programs")
    order = re.findall(r"^(base|new) ", same.stderr, re.MULTILINE)
    check(order == ["base", "new", "new", "base"] * 3, f"interleaved: {order}")
    slower = world.sonde("gate", "run", "-n", "4", "--max-runs", "8", "--warm-up", "0", "--budget", "step.yaml", "-f",
                         "json", "--base-command", command, "--", *command.split(), "--plant", "gap")
    ended(slower, 1, "a planted gap")
    check("inconclusive after 4 runs per side, continuing to 8:" in slower.stderr, f"more runs: {slower.stderr}")
    check(counted_runs(slower, "new") == counted_runs(slower, "base") == 8, "eight runs a side")
    check(json.loads(slower.stdout)["verdict"]["outcome"] == "fail", slower.stdout)
    check(world.left() == [], f"left behind: {world.left()}")


def patterns(world):
    base = world.folder / "base.sqlite"
    world.sonde("synth", "--program", "tuned", "--iterations", "12", "-o", str(base))
    run = world.sonde("gate", "run", "-n", "1", "--max-runs", "1", "--warm-up", "0", "--most-disturbed", "0", "--budget",
                      "wall.yaml", "--base", str(base), "--profile", "made*.sqlite", "--", "./profiled", "made")
    ended(run, 0, "a pattern")
    check((world.folder / "made.sqlite").exists(), "the program's own file stays")
    none = world.sonde("gate", "run", "-n", "1", "--budget", "wall.yaml", "--", "true", "{profile}")
    ended(none, 5, "no profile")
    check("the run left no profile" in none.stderr, none.stderr)


def failing(world):
    run = world.sonde("gate", "run", "-n", "2", "--budget", "wall.yaml", "--", "sh", "-c", "echo broken; exit 3")
    ended(run, 5, "a command that fails")
    check("failed with exit status 3: sh -c 'echo broken; exit 3'" in run.stderr, run.stderr)
    output = re.search(r"Its output is in (\S+)", run.stderr)
    check(output and Path(output.group(1)).read_text() == "broken\n", f"its output: {run.stderr}")
    for left in world.temporary.rglob("*.log"):
        left.unlink()
    again = world.sonde("gate", "run", "-n", "1", "--max-runs", "1", "--warm-up", "0", "--retries", "1", "--budget",
                        "wall.yaml", "--", "sh", "-c", "test -e twice || { touch twice; exit 1; }")
    ended(again, 0, "a command that fails once")
    check("new-01: exit status 1; the run is repeated" in again.stderr, again.stderr)


def interrupted(world):
    """The command says that it runs by a pipe, then waits for a signal."""
    told, telling = os.pipe()
    os.set_inheritable(telling, True)
    process = subprocess.Popen(
        [SONDE, "gate", "run", "--budget", "wall.yaml", "--warm-up", "0", "--", "sh", "-c",
         f"echo > {{profile}}.sqlite; echo $$ >&{telling}; exec tail -f /dev/null"],
        cwd=world.folder, env=world.environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        pass_fds=(telling,))  # fmt: skip
    os.close(telling)
    child = int(os.read(told, 100).decode())
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate()
    check(process.returncode == 130, f"interrupted: exit code {process.returncode}: {errors}")
    check("sonde: interrupted" in errors, errors)
    check(world.left() == [], f"left behind: {world.left()}")
    check(os.read(told, 1) == b"", "the command's end of the pipe is closed")
    check(not Path(f"/proc/{child}").exists(), "the command has ended")
    os.close(told)


def throttled(world):
    tools = world.folder / "tools"
    tools.mkdir()
    world.write("tools/nvidia-smi", SMI).chmod(0o755)
    environment = {"PATH": f"{tools}:{os.environ['PATH']}", "SMI_COUNTER": str(world.folder / "smi_count")}
    command = ["gate", "run", "-n", "2", "--max-runs", "2", "--warm-up", "0", "--budget", "wall.yaml", "--keep", "hot",
               "--", "true"]  # fmt: skip
    world.write("smi_count", "1\n")
    run = world.sonde(*command, SMI_SLOW="2", **environment)
    ended(run, 0, "a run that was slowed")
    check("new-01: GPU 0: HW thermal slowdown (88 °C); the run is repeated" in run.stderr, run.stderr)
    record = json.loads((world.folder / "hot/new-02.record.json").read_text())
    conditions = record["conditions"]
    check((conditions["gpu"], conditions["driver"]) == ("NVIDIA H100", "590.48"), f"conditions: {conditions}")
    command[command.index("hot")] = "hotter"
    always = world.sonde(*command, SMI_SLOW="always", **environment)
    ended(always, 5, "runs that are always slowed")
    check("after 5 runs were repeated" in always.stderr, always.stderr)
    command[command.index("hotter")] = "hottest"
    taken = world.sonde(*command[:-2], "--most-throttled", "0", "--", "true", SMI_SLOW="always", **environment)
    ended(taken, 0, "slowed runs that are taken")


def noise(world):
    run = world.sonde("gate", "calibrate", "-n", "6", "--warm-up", "0", "-o", "floors.json", "--", "./profiled",
                      "{profile}")
    ended(run, 0, "calibrate")
    check(re.search(r"^step_time +the run +[\d.]+ % +[\d.]+ % +[\d.]+ %$", run.stdout, re.MULTILINE), run.stdout)
    floors = json.loads((world.folder / "floors.json").read_text())
    failures.extend(violations(floors, load("floors.schema.json")))
    check(floors["runs"] == 6 and all(len(row["centres"]) == 6 for row in floors["floors"]), "six runs")
    tested = world.sonde("gate", "selftest", "--floors", "floors.json", "-n", "6", "--comparisons", "200")
    ended(tested, 0, "selftest")
    check(re.search(r"with 6 runs a side, a change of [\d.]+ % in step_time is found with 95 % power; false alarms "
                    r"[\d.]+ % \(at most [\d.]+ %", tested.stdout), tested.stdout)  # fmt: skip
    few = world.sonde("gate", "calibrate", "base.sqlite")
    ended(few, 5, "one run")
    check("measuring noise needs at least 4 runs of one program (20 are recommended), and this is 1 run" in few.stderr, few.stderr)


def usage(world):
    for arguments in (
        ["run", "--budget", "wall.yaml"],
        ["run", "--", "true"],
        ["run", "--budget", "wall.yaml", "--base-command", "a 'b", "--", "true"],
        ["run", "--budget", "wall.yaml", "--base-command", "a", "--", "true", "{profile}"],
        ["run", "--budget", "wall.yaml", "--base-command", "a", "--baseline", "x", "--", "true"],
        ["run", "--budget", "wall.yaml", "--timeout", "soon", "--", "true"],
        ["calibrate"],
        ["calibrate", "--warm-up", "some", "--", "true"],
        ["selftest"],
        ["selftest", "--simulated", "--floors", "x"],
    ):
        ended(world.sonde("gate", *arguments), 2, " ".join(arguments))


with tempfile.TemporaryDirectory() as where:
    here = World(where)
    for test in (wall_time, cpu_time, without_base, planted, patterns, failing, interrupted, throttled, noise, usage):
        test(here)
print("\n".join(failures) or "sonde gate run, calibrate and selftest do what they say")
sys.exit(1 if failures else 0)
