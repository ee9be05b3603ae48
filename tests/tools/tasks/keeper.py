#!/usr/bin/env python3
"""Runs attempts of tasks under keepers, with real kills: none runs twice, and each outcome is reported.

run_attempts replaces the service: it logs what it starts and which outcomes it gets, and is killed with -9 at random
times, again and again, until all tasks have finished. Each task appends its number to a shared file.
"""

import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

TOOLS = Path(os.environ["TEST_TOOLS"])
BUILD = Path(os.environ["SONDE"]).parent
HOSTILE = BUILD / "tests/hostile_task"
KILLS = int(os.environ.get("KEEPER_KILLS", "30"))
PATIENCE_S = 300
os.environ["SONDE_KEEPER"] = str(BUILD / "sonde-keeper")


def processes_of(folder):
    """Those whose environment or arguments name the folder, and what they are."""
    found = {}
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit() or int(entry.name) == os.getpid():
            continue
        try:
            if f"SONDE_TASK_FOLDER={folder}".encode() in (entry / "environ").read_bytes():
                if (entry / "stat").read_text().rsplit(")", 1)[1].split()[0] not in "ZX":
                    found[int(entry.name)] = (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode()
        except (OSError, IndexError):
            continue  # it is over
    return found


def keepers_of(folder):
    """Keepers hold their attempt's file open."""
    found = []
    for entry in Path("/proc").iterdir():
        try:
            if entry.name.isdigit() and os.readlink(entry / "fd/4").startswith(f"{folder}/live/"):
                found.append(int(entry.name))
        except OSError:
            continue
    return found


def until(condition, what):
    end = time.monotonic() + PATIENCE_S
    while time.monotonic() < end:
        if condition():
            return
        time.sleep(0.01)
    raise AssertionError(f"{what} has not come within {PATIENCE_S} s")


class Place:
    """A folder whose tasks end with it."""

    def __enter__(self):
        self.folder = tempfile.TemporaryDirectory()
        self.path = Path(self.folder.name).resolve()
        self.tasks = self.path / "tasks"
        self.book = self.path / "book"
        self.lines = self.path / "lines"
        return self

    def __exit__(self, *_):
        def end_all():
            left = keepers_of(self.tasks) + list(processes_of(self.tasks))
            for pid in left:
                try:
                    os.kill(pid, signal.SIGKILL)
                except ProcessLookupError:
                    pass
            return not left

        until(end_all, "the end of all processes")
        self.folder.cleanup()

    def run(self, tasks, at_once, *command):
        return subprocess.Popen([TOOLS / "run_attempts", self.tasks, self.book, str(tasks), str(at_once), *command],
                                stdout=subprocess.PIPE, text=True)  # fmt: skip

    def booked(self):
        lines = self.book.read_text().splitlines() if self.book.exists() else []
        return [line.split() for line in lines]

    def ends(self):
        return {int(words[1]): words[2:] for words in self.booked() if words[0] == "end"}

    def runs(self):
        return Counter(self.lines.read_text().split()) if self.lines.exists() else Counter()

    def check(self, tasks):
        booked = Counter((words[0], int(words[1])) for words in self.booked())
        assert booked == Counter({(what, n): 1 for what in ("start", "end") for n in range(1, tasks + 1)}), booked
        left = processes_of(self.tasks)
        assert not left, f"processes are left: {left}"


def check_kills_of_the_service(seed):
    """Tasks take a random little time; the service is killed in all of them."""
    chance = random.Random(seed)
    with Place() as place:
        script = 'sleep 0.0$(($(od -An -N1 -tu1 /dev/urandom) % 9)); echo "$0" >> "$1"; echo printed "$0"; exit 3'
        command = ("sh", "-c", script, "{task}", str(place.lines))
        tasks = 40 * KILLS
        kills = 0
        while True:
            service = place.run(tasks, 16, *command)
            done_before = len(place.booked())
            # A moment that counts what it did, not time, so that it makes progress however slow the host is.
            wanted = done_before + chance.randrange(1, 60)
            until(lambda: service.poll() is not None or len(place.booked()) >= wanted, "progress")
            if service.poll() is not None:
                assert service.returncode == 0, service.returncode
                break
            time.sleep(chance.random() * 0.005)
            service.kill()
            service.wait()
            service.stdout.close()
            kills += 1
        service.stdout.close()
        assert kills >= KILLS, f"only {kills} kills"
        place.check(tasks)
        wrong = {n: end for n, end in place.ends().items() if end != ["exit", "3"]}
        assert not wrong, f"ends that are not the tasks' own: {wrong}"
        runs = place.runs()
        assert runs == Counter({str(n): 1 for n in range(1, tasks + 1)}), f"runs that are not one each: {runs}"
        for n in (1, tasks // 2, tasks):
            assert (place.tasks / f"tasks/{n}/1.stdout").read_text() == f"printed {n}\n"
        print(f"{tasks} tasks, each ran once and was told of once, over {kills} kills of the service")


def check_kills_of_both(seed):
    """Keepers are killed too: what they ran is lost, is said to be, and is over when that is said."""
    chance = random.Random(seed)
    with Place() as place:
        gate = place.path / "gate"
        command = (str(HOSTILE), "line_when", str(place.lines), "{task}", str(gate))
        tasks = 24
        service = place.run(tasks, tasks, *command)
        until(lambda: len(processes_of(place.tasks)) == tasks, "all tasks")
        victims = chance.sample(sorted(keepers_of(place.tasks)), 8)
        for victim in victims[:4]:
            os.kill(victim, signal.SIGKILL)
        until(lambda: len(place.ends()) == 4, "the ends of four")
        assert len(processes_of(place.tasks)) == tasks - 4
        service.kill()
        service.wait()
        service.stdout.close()
        for victim in victims[4:]:
            os.kill(victim, signal.SIGKILL)
        service = place.run(tasks, tasks, *command)
        until(lambda: len(place.ends()) == 8, "the ends of eight")
        gate.write_text("open")
        assert service.wait(timeout=PATIENCE_S) == 0
        service.stdout.close()
        place.check(tasks)
        causes = Counter(end[0] for end in place.ends().values())
        assert causes == {"lost": 8, "exit": tasks - 8}, causes
        lost = {str(n) for n, end in place.ends().items() if end[0] == "lost"}
        assert place.runs() == Counter({str(n): 1 for n in range(1, tasks + 1) if str(n) not in lost})
        print(f"{len(lost)} tasks whose keepers were killed are lost, the others ran once")


def check_full_disk():
    """On a small file system of its own: the task is unharmed, and its end comes once there is room."""
    inside = os.environ.get("KEEPER_SMALL_DISK")
    if not inside:
        with tempfile.TemporaryDirectory() as disk:
            mount = f"mount -t tmpfs -o size=2m none '{disk}' && exec '{sys.executable}' -B '{__file__}'"
            made = subprocess.run(["unshare", "--user", "--map-root-user", "--mount", "sh", "-c", mount], check=False,
                                  env=os.environ | {"KEEPER_SMALL_DISK": disk}, capture_output=True, text=True)  # fmt: skip
        if made.returncode != 0 and "KEEPER_STARTED" not in made.stdout:
            print(f"a full disk is not tried: this host lets nobody mount one here ({made.stderr.strip()})")
            return
        assert made.returncode == 0, made.stdout + made.stderr
        print(made.stdout.replace("KEEPER_STARTED\n", ""), end="")
        return
    print("KEEPER_STARTED", flush=True)
    disk = Path(inside)
    with Place() as place:
        place.tasks = disk / "tasks"
        script = (f'"{HOSTILE}" fill "$0/filler"; head -c 200000 /dev/zero; echo "ran" >> "$1"; '
                  'while [ -e "$1.hold" ]; do sleep 0.01; done; exit 4')  # fmt: skip
        hold = Path(f"{place.lines}.hold")
        hold.write_text("")
        service = place.run(1, 1, "sh", "-c", script, str(disk), str(place.lines))
        until(lambda: place.runs() == {"ran": 1}, "the task's line")
        assert os.statvfs(disk).f_bavail == 0
        hold.unlink()
        assert service.wait(timeout=PATIENCE_S) == 0
        service.stdout.close()
        assert place.ends() == {1: ["exit", "4"]}, place.ends()
        (disk / "filler").unlink()
        print("a task that fills the disk ends as it does elsewhere")


def measure_starts():
    with Place() as place:
        tasks = 300
        service = place.run(tasks, 32, "true")
        seconds = float(service.communicate(timeout=PATIENCE_S)[0])
        place.check(tasks)
        print(f"{tasks / seconds:.0f} starts of `true` a second, to the end that is on the disk")


def main():
    if os.environ.get("KEEPER_SMALL_DISK"):
        check_full_disk()
        return
    seed = int(os.environ.get("KEEPER_SEED", random.randrange(1 << 30)))
    print(f"seed {seed}", flush=True)
    check_kills_of_the_service(seed)
    check_kills_of_both(seed)
    check_full_disk()
    measure_starts()


if __name__ == "__main__":
    main()
