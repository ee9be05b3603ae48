#!/usr/bin/env python3
"""Tests what `sonde gate run` does for quiet measurements: locked clocks (NVML's stand-in), also after a kill; a set of
processors; warming up until stable; runs that are repeated since others used the machine. The records state each."""

import json
import os
import re
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

SONDE = os.environ["SONDE"]
NVML = Path(os.environ["TEST_TOOLS"]).parents[0] / "fake_nvml/libnvidia-ml.so.1"
TDP = 0xFFFFFF01  # nvml.h: NVML_CLOCK_LIMIT_ID_TDP
LOCKED = f"{{gpu}} {TDP} {TDP}"

SMI = """#!/bin/sh
case "$1" in
  *compute-apps*) cat "$SMI_PROCESSES" 2>/dev/null; exit 0 ;;
esac
for gpu in 0 1; do
  echo "$gpu, NVIDIA H100, GPU-0000000$gpu-1111-2222-3333-444444444444, 590.48, 50, 1410, 0x0000000000000000, 0, 0, 0"
done
"""

failures = []


def check(holds, what):
    if not holds:
        failures.append(what)


class World:
    def __init__(self, folder):
        self.folder = Path(folder)
        self.kept = 0
        (self.folder / "nvidia-smi").write_text(SMI)
        (self.folder / "nvidia-smi").chmod(0o755)
        (self.folder / "wall.yaml").write_text("version: 1\nrules:\n  - wall_time <= 1 min\n")
        self.describe()
        self.environment = dict(os.environ, SONDE_NVML=str(NVML), SONDE_FAKE_NVML=str(self.folder / "gpus"),
                                PATH=f"{folder}:{os.environ['PATH']}", XDG_STATE_HOME=str(self.folder / "state"),
                                SMI_PROCESSES=str(self.folder / "processes"))  # fmt: skip
        self.environment.pop("STATE_DIRECTORY", None)
        self.environment.pop("CUDA_VISIBLE_DEVICES", None)

    def describe(self, *lines):
        (self.folder / "gpus").write_text("\n".join(["gpus = 2", *lines, ""]))

    def words(self, options, command):
        self.kept += 1
        return [SONDE, "gate", "run", "--budget", "wall.yaml", "-n", "1", "--max-runs", "1", "--keep", f"kept{self.kept}",
                *(options if "--warm-up" in options else ["--warm-up", "0", *options]), "--", *command]  # fmt: skip

    def run(self, options, *command, code=0, **environment):
        run = subprocess.run(self.words(options, command or ["true"]), cwd=self.folder, capture_output=True, text=True,
                             check=False, env=dict(self.environment, **environment))
        check(run.returncode == code, f"{options}: exit code {run.returncode}\n{run.stdout}{run.stderr}")
        return run

    def record(self):
        return json.loads((self.folder / f"kept{self.kept}/new-01.record.json").read_text())

    def clocks(self):
        """What NVML was told since the last time, a line a call."""
        file = self.folder / "gpus.clocks"
        lines = file.read_text().splitlines() if file.exists() else []
        file.unlink(missing_ok=True)
        return lines

    def markers(self):
        return sorted(path.name[:12] for path in (self.folder / "state/sonde/locked_clocks").glob("*"))


def clocks_are_locked(world):
    world.run(["--lock-clocks", "base"])
    check(world.clocks() == [LOCKED.format(gpu=0), LOCKED.format(gpu=1), "0 unlocked", "1 unlocked"], "base clocks")
    check(world.record()["conditions"]["clock_control"] == "locked at base", f"stated: {world.record()['conditions']}")
    check(world.record()["sm_clock_mhz"] == 1410, f"SM clock: {world.record()}")
    world.run(["--lock-clocks", "1200"], CUDA_VISIBLE_DEVICES="1")
    check(world.clocks() == ["1 1200 1200", "1 unlocked"], "the visible GPU alone, at 1200 MHz")
    check(world.record()["conditions"]["clock_control"] == "locked at 1200 MHz", "1200 MHz are stated")
    check(world.markers() == [], f"markers are gone: {world.markers()}")
    world.run([])
    check((world.clocks(), world.record()["conditions"]["clock_control"]) == ([], "not locked"), "nothing unasked")
    world.run(["--lock-clocks", "base"], "false", code=5)
    check(world.clocks()[-2:] == ["0 unlocked", "1 unlocked"], "unlocked after a run that failed")


def refused(world):
    world.describe("gpu.1.fail.nvmlDeviceSetGpuLockedClocks = 4")
    run = world.run(["--lock-clocks", "base"])
    check("the clocks are not locked: GPU 1 cannot be locked to a clock: this user has no permission" in run.stderr,
          f"refused: {run.stderr}")  # fmt: skip
    check(world.clocks() == [LOCKED.format(gpu=0), "0 unlocked"], "GPU 0 does not stay locked")
    check(world.record()["conditions"]["clock_control"] == "not locked", "not locked is stated")
    world.describe()
    none = world.run(["--lock-clocks", "base"], SONDE_NVML="/nonexistent.so")
    check("the clocks are not locked: NVML" in none.stderr, none.stderr)
    world.run(["--lock-clocks", "fast"], code=2)


class Waiting:
    """A gate whose run goes on until it is told to end."""

    def __init__(self, world, *options):
        told, telling = os.pipe()
        os.set_inheritable(telling, True)
        self.process = subprocess.Popen(
            world.words(options, ["sh", "-c", f"echo >&{telling}; exec tail -f /dev/null"]), cwd=world.folder,
            env=world.environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, pass_fds=(telling,))  # fmt: skip
        os.close(telling)
        os.read(told, 1)
        os.close(told)
        children = Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children").read_text().split()
        self.children = [int(child) for child in children]

    def end(self, number):
        self.process.send_signal(number)
        self.process.communicate()
        for child in self.children:
            try:
                os.kill(child, signal.SIGKILL)
            except ProcessLookupError:
                pass


def killed(world):
    waiting = Waiting(world, "--lock-clocks", "base")
    check(world.clocks() == [LOCKED.format(gpu=0), LOCKED.format(gpu=1)], "locked while it runs")
    second = world.run(["--lock-clocks", "1000"])
    check("another `sonde gate` holds the clocks of GPU 0" in second.stderr, f"two at once: {second.stderr}")
    check(world.clocks() == [], "the second leaves the clocks of the first alone")
    waiting.end(signal.SIGKILL)
    check(world.markers() == ["GPU-00000000", "GPU-00000001"], f"left by a kill: {world.markers()}")
    world.describe("gpu.1.fail.nvmlDeviceResetGpuLockedClocks = 4")
    after = world.run([])
    check("the clocks of GPU 0 were still locked by a run that was killed; they are unlocked" in after.stderr,
          f"the next start: {after.stderr}")  # fmt: skip
    check("are still locked by a run that was killed: GPU 1 cannot be unlocked" in after.stderr, after.stderr)
    check(world.clocks() == ["0 unlocked"], "unlocked by the next start")
    world.describe()
    again = world.run([])
    check("the clocks of GPU 1 were still locked" in again.stderr, f"tried again: {again.stderr}")
    check((world.clocks(), world.markers()) == (["1 unlocked"], []), "nothing is left")
    check("locked" not in world.run([]).stderr, "told once")
    waiting = Waiting(world, "--lock-clocks", "base")
    waiting.end(signal.SIGTERM)
    check(world.clocks()[2:] == ["0 unlocked", "1 unlocked"], "unlocked after SIGTERM")


def after_a_reboot(world):
    waiting = Waiting(world, "--lock-clocks", "base")
    waiting.end(signal.SIGKILL)
    for marker in (world.folder / "state/sonde/locked_clocks").glob("*"):
        marker.write_text("another boot")
    world.clocks()
    run = world.run([])
    check((world.clocks(), world.markers(), "locked" in run.stderr) == ([], [], False), "a reboot has unlocked them")


def processors(world):
    one = max(os.sched_getaffinity(0))
    world.run(["--cpus", str(one)], "sh", "-c", f"test $(nproc) = 1 && grep -q '^Cpus_allowed_list:\t{one}$' /proc/self/status")
    check(world.record()["conditions"]["cpus"] == str(one), "the set is stated")
    world.run([])
    check(world.record()["conditions"]["cpus"] == f"any of {len(os.sched_getaffinity(0))}", "all are stated")
    wrong = world.run(["--cpus", "1023"], code=2)
    check("--cpus: this program may not run on processor 1023" in wrong.stderr, wrong.stderr)
    world.run(["--cpus", "1-"], code=2)


def warm_up(world):
    """Each run of the program is 10 ms shorter than the one before, down to 20 ms."""
    program = world.folder / "warming"
    program.write_text("#!/bin/sh\nn=$(cat count); echo $((n + 1)) > count\nsleep 0.0$((n < 5 ? 7 - n : 2))\n")
    program.chmod(0o755)
    (world.folder / "count").write_text("0\n")
    run = world.run(["--warm-up", "auto", "--most-disturbed", "0"], "./warming")
    warmed = run.stderr.count("warming up\n")
    check(3 <= warmed <= 10, f"runs to warm up: {warmed}")
    check(int((world.folder / "count").read_text()) == warmed + 1, "one run behind them counts")
    world.run(["--warm-up", "some"], code=2)


def disturbed(world):
    """Others keep all processors busy; a run is repeated for it as often as the option says."""
    burning = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in os.sched_getaffinity(0)]
    try:
        run = world.run(["--most-disturbed", "2"], "sleep", "0.3")
    finally:
        for process in burning:
            process.kill()
            process.wait()
    told = re.findall(r"new-01: other processes used \d+ % of the processors; the run is (\w+)", run.stderr)
    check(told == ["repeated", "repeated", "accepted"], f"other load: {run.stderr}")
    check(world.record()["other_load"] > 0.1, f"stated: {world.record().get('other_load')}")


def counts(world):
    """Where the processor's events can be counted they are in the record; else a rule about them says why not."""
    (world.folder / "counts.yaml").write_text("version: 1\nrules:\n  - instructions <= 1000000000000\n")
    words = world.words([], ["true"])
    words[words.index("wall.yaml")] = "counts.yaml"
    run = subprocess.run(words, cwd=world.folder, capture_output=True, text=True, check=False, env=world.environment)
    if "instructions" in world.record():
        check(run.returncode == 0 and world.record()["instructions"] > 1000, f"counted: {world.record()}")
    else:
        check(run.returncode == 4 and "sonde: instructions cannot be counted: perf_event_open: " in run.stderr,
              f"exit code {run.returncode}: {run.stderr}")  # fmt: skip


def busy_gpu(world):
    """Another process begins to compute during the first run, and stays."""
    run = world.run([], "sh", "-c", "test -e ran || echo 4711 > processes; touch ran")
    check("new-01: process 4711 began to compute on a GPU; the run is repeated" in run.stderr, run.stderr)
    check(run.stderr.count("the run is repeated") == 1, f"one that stays is told once: {run.stderr}")


with tempfile.TemporaryDirectory() as where:
    here = World(where)
    for test in (clocks_are_locked, refused, killed, after_a_reboot, processors, warm_up, disturbed, counts,
                 busy_gpu):
        test(here)
print("\n".join(failures) or "runs are made quiet, and say how")
sys.exit(1 if failures else 0)
