"""Cuts the power of `sonde serve`, its keepers and all tasks at random times while tasks are submitted and run. Each
task appends a line to a file on another disk when it finishes. These lines, and not the service, decide how often it
ran."""

import os
import random
import signal
import tempfile
import time
from collections import Counter
from pathlib import Path

from _power_cut import LAYER, Disk
from _serve import Service, until
from _task_kills import CONFIG, HOST, all_tasks, check, submitting, wait_for_all

LONGEST_LIFE_S = 0.5  # of the service between its start and the cut
KEEPER = LAYER.parent / "sonde-keeper-dynamic"  # the layer cannot see what a static program does
# So that no cut is one too many, and what waits does not grow with each.
CHANGES = {"  tasks:\n": "  tasks:\n    retries: 100\n", "max_queue_size: 100000": "max_queue_size: 40"}
KEPT = {"nothing": lambda _: False, "all": lambda _: True, "some": lambda draw: draw.random() < 0.5}


class Host(Service):
    """The service on a disk whose power can be cut; what keeps its side of the log is on another."""

    def __init__(self, gpus):
        self.disk = None
        config = CONFIG
        for old, new in CHANGES.items():
            config = config.replace(old, new)
        super().__init__("requests_per_second: 1000000\nburst: 1000000", config, ("--simulated", str(gpus)),
                         {"SONDE_KEEPER": str(KEEPER)})  # fmt: skip

    def launch(self):
        if self.disk is None:
            self.disk = Disk(self.path / "state", self.path / "book")
            self.environment |= self.disk.environment()
        super().launch()

    def cut(self, is_kept):
        self.disk.off()
        until(self.all_killed, "the end of all processes")
        self.disk.cut(is_kept)

    def all_killed(self):
        """Tasks start others while they are looked for."""
        left = list(self.disk.processes())
        for process in left:
            try:
                os.kill(process, signal.SIGKILL)
            except ProcessLookupError:
                pass
        self.process.poll()
        return not left

    def __exit__(self, *what):
        until(self.all_killed, "the end of all processes")
        super().__exit__(*what)


class Book:
    """What was seen of tasks that succeeded, each when it was seen first."""

    def __init__(self, service, marks):
        self.service, self.marks = service, marks
        self.seen = {}

    def runs(self):
        return Counter(self.marks.read_text().split()) if self.marks.exists() else Counter()

    def look(self):
        tasks = self.service.call("GET", "/api/v1/tasks?state=succeeded&limit=1000", role="read")[1]["tasks"]
        runs = self.runs()
        for task in tasks:
            token = task["command"][-2]
            self.seen.setdefault(task["id"], (runs[token], len(task["attempts"]), task["ended"]))


def complaints(accepted, tasks, book):
    """What does not hold: `accepted` is token -> id."""
    by_id, runs = {task["id"]: task for task in tasks}, book.runs()
    for token, number in accepted.items():
        task = by_id.get(number)
        if task is None:
            yield f"task {number} ({token}) was accepted and is lost"
            continue
        causes = [attempt["cause"] for attempt in task["attempts"]]
        if task["state"] != "succeeded":
            yield f"task {number} ended as {task['state']}: {task['reason']}"
        if set(causes[:-1]) - {"lost"}:
            yield f"task {number} was tried again after {causes}"
        if not 1 <= runs[token] <= len(causes):
            yield f"task {number} ran {runs[token]} times in {len(causes)} attempts"
        now = (runs[token], len(causes), task["ended"])
        if book.seen.get(number, now) != now:
            yield f"task {number} was seen as succeeded with {book.seen[number]} (runs, attempts, end), and is {now} now"
    if len(set(accepted.values())) != len(accepted):
        yield "two submissions got the same task"
    yield from (f"{token} ran and was never accepted" for token in runs if token not in accepted)


def live_and_die(service, book, draw):
    """One life between two cuts; sometimes the service alone is killed in it, or it ends before it serves."""
    if draw.random() < 0.8:
        service.until_it_listens()
        time.sleep(draw.uniform(0, LONGEST_LIFE_S))
        book.look()
    if draw.random() < 0.3:
        time.sleep(draw.uniform(0, 0.2))
        with service.disk.alone():  # or a change would be done and not booked
            service.process.kill()
            service.process.wait()
        service.launch()
    time.sleep(draw.uniform(0, 0.2))
    kept = draw.choice(list(KEPT.values()))
    service.cut(lambda: kept(draw))
    service.launch()


def run(cuts, seed):
    """A sentence with figures; an AssertionError with all that does not hold."""
    draw = random.Random(seed)
    with tempfile.TemporaryDirectory() as folder:
        marks, gpus = Path(folder) / "marks", Path(folder) / "host.yaml"
        gpus.write_text(HOST)
        with Host(gpus) as service:
            book = Book(service, marks)
            with submitting(service, marks, seed) as submitters:
                for _ in range(cuts):
                    live_and_die(service, book, draw)
                service.until_it_listens()
            wait_for_all(service)
            tasks = list(all_tasks(service))
            assert service.stop() == 0, service.text()
        accepted = check(submitters, cuts, lambda accepted: complaints(accepted, tasks, book))
        again = sum(len(task["attempts"]) > 1 for task in tasks)
        return f"{cuts} cuts, {len(accepted)} tasks, {len(book.seen)} of them seen as succeeded before one, {again} tried again"


def main(cuts, seed):
    if not LAYER.exists() or not KEEPER.exists():
        print("skipped: this build has no layer that the power can be cut under")
        return 77
    seed = int(os.environ.get("SONDE_CUT_SEED", str(seed)))
    try:
        print(f"ok   {run(cuts, seed)}")
    except AssertionError as error:
        print(f"FAIL with SONDE_CUT_SEED={seed}: {error}")
        return 1
    return 0

