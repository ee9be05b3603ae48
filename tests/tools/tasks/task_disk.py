#!/usr/bin/env python3
"""Tests `sonde serve` with tasks on a full disk, and on a disk that became read-only: submissions are refused, running
tasks continue and are reported later, and the service recovers without a restart once the disk does.

The full disk is a small disk of its own if this user may mount one, here or in a user namespace. The read-only disk,
and the full disk elsewhere, are the layer of _power_cut.py under the service and its keepers.
"""

import errno
import os
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "shared"))
from _power_cut import LAYER, Disk
from _serve import run_all, until
from _tasks import ANY_COMMAND, Tasks, same

KEEPER = LAYER.parent / "sonde-keeper-dynamic"  # the layer cannot see what a static program does
MOUNTS = "SONDE_TEST_MOUNTS"
DISK_MB = 24


class SmallDisk(Tasks):
    """Its state lies on a file system of its own."""

    word = "full"

    def launch(self):
        state = self.path / "state"
        if not state.exists():
            state.mkdir(mode=0o700)
            subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={DISK_MB}m", "none", state], check=True)
        super().launch()

    def begin_trouble(self):
        with (self.path / "state/filler").open("wb", buffering=0) as filler:
            for size in (1 << 20, 1 << 12):
                try:
                    while filler.write(bytes(size)) == size:
                        pass
                except OSError as error:
                    same(error.errno, errno.ENOSPC)

    def end_trouble(self):
        (self.path / "state/filler").unlink()

    def __exit__(self, *what):
        self.end_left_tasks()
        subprocess.run(["umount", "--lazy", self.path / "state"], check=True)
        super().__exit__(*what)


class FailingDisk(Tasks):
    """Its state lies on a disk whose changes fail with `error` when they are told to."""

    error, word = errno.ENOSPC, "full"

    def __init__(self, gpu="", tasks=ANY_COMMAND):
        self.disk = None
        super().__init__(gpu, tasks, {"SONDE_KEEPER": str(KEEPER)})

    def launch(self):
        if self.disk is None:
            self.disk = Disk(self.path / "state", self.path / "book")
            self.environment |= self.disk.environment()
        super().launch()

    def begin_trouble(self):
        self.disk.fail_with(self.error)

    def end_trouble(self):
        self.disk.fail_with(None)


class ReadOnlyDisk(FailingDisk):
    error, word = errno.EROFS, "read-only"


def kinds():
    """The services to try: with a full disk, and with a read-only one."""
    found = [SmallDisk] if os.environ.get(MOUNTS) else []
    if LAYER.exists() and KEEPER.exists():
        found += [ReadOnlyDisk] if found else [FailingDisk, ReadOnlyDisk]
    return found


class Marked:
    """Tasks that leave lines in a file on another disk, and end with status 3 once they are let go."""

    def __init__(self, service):
        self.service, self.folder = service, service.path / "marks"
        self.folder.mkdir()

    def submit(self, name, waits=True):
        hold = f"while [ ! -e {self.folder}/go ]; do sleep 0.02; done; " if waits else ""
        return self.service.submit("/bin/sh", "-c", f"echo begun; echo begun >> {self.folder}/{name}; {hold}"
                                   f"echo over >> {self.folder}/{name}; echo over; exit 3", memory="1GiB")  # fmt: skip

    def lines(self, name):
        file = self.folder / name
        return file.read_text().split() if file.exists() else []

    def running(self, *names):
        numbers = [self.submit(name) for name in names]
        for number, name in zip(numbers, names, strict=True):
            self.service.until_state(number, "running")
            until(lambda name=name: self.lines(name) == ["begun"], "the task's line")
            until(lambda number=number: self.service.output(number) == "begun\n", "its output, kept before any trouble")
        return numbers

    def go(self, *names):
        (self.folder / "go").touch()
        until(lambda: all(self.lines(name) == ["begun", "over"] for name in names), "the tasks' ends")

    def check_ended(self, number, name):
        task = self.service.until_state(number, "failed", "succeeded", "cancelled")
        same((task["state"], task["cause"], [a["exit_status"] for a in task["attempts"]]), ("failed", "exit", [3]))
        is_whole = "bytes of its output are lost" not in (task["attempts"][0]["message"] or "")
        same(self.service.output(number), "begun\nover\n" if is_whole else "begun\n")
        same(self.lines(name), ["begun", "over"])


def store_up(service):
    lines = service.call("GET", "/metrics")[1].splitlines()
    return [line for line in lines if line.startswith("sonde_task_store_up")] == ["sonde_task_store_up 1"]


def tasks_check(service):
    checks = service.call("GET", "/api/v1/health", role="read")[1]["checks"]
    return next(check for check in checks if check["name"] == "tasks")


def refused(service, path="/api/v1/tasks", body=None):
    """Whether a submission is; each that is taken is a task that runs."""
    status, answer = service.call("POST", path, body or {"command": ["/bin/true"]}, "submit")
    if status == 201:
        return False
    same((status, answer["type"]), (503, "/problems/not_saved"))
    same(int(service.headers["retry-after"]) >= 1, True)
    return True


def check_refusals(service):
    until(lambda: refused(service), "the first refusal")
    for _ in range(3):
        same(refused(service), True)
        same(refused(service, "/api/v1/batches", {"tasks": [{"command": ["/bin/true"]}] * 3}), True)
    until(lambda: service.snapshot()["trouble"], "the queue's trouble")
    same(tasks_check(service)["status"], "degraded")
    same(store_up(service), False)
    same('sonde_tasks_refused_total{code="not_saved"}' in service.call("GET", "/metrics")[1], True)
    same(service.call("GET", "/api/v1/ready", role="read")[0], 200)


def check_reading(service, number):
    """What is there can be looked at all the while."""
    for path in (f"tasks/{number}", f"tasks/{number}/log", f"tasks/{number}/explain", "tasks", "batches", "queue", "gpus"):
        same(service.call("GET", f"/api/v1/{path}", role="read")[0], 200)


def check_recovery(service):
    until(lambda: not refused(service), "the first submission that is taken again")
    until(lambda: not service.snapshot()["trouble"], "the end of the queue's trouble")
    same((tasks_check(service)["status"], store_up(service)), ("ok", True))


def goes_on_while_nothing_can_be_saved(kind):
    with kind() as service:
        marked = Marked(service)
        numbers = marked.running("a", "b")
        cancelled = service.submit("/bin/sleep", "1000", memory="1GiB")
        service.until_state(cancelled, "running")
        service.begin_trouble()
        check_refusals(service)
        check_reading(service, numbers[0])
        same(service.call("POST", f"/api/v1/tasks/{cancelled}/cancel", role="submit")[0], 503)
        marked.go("a", "b")
        check_reading(service, numbers[0])
        same(refused(service), True)
        service.end_trouble()
        check_recovery(service)
        for number, name in zip(numbers, "ab", strict=True):
            marked.check_ended(number, name)
        same(service.until_state(cancelled, "cancelled", "failed")["state"], "cancelled")
        same(service.stop(), 0)
        service.start()
        for number, name in zip(numbers, "ab", strict=True):
            marked.check_ended(number, name)


def what_waits_starts_once_there_is_room(kind):
    with kind("  multi_gpu:\n    max_concurrent_tasks_per_gpu: 1\n  utilization_threshold: 1\n") as service:
        marked = Marked(service)
        running = marked.running("a", "b")
        waiting = marked.submit("c", waits=False)
        service.begin_trouble()
        check_refusals(service)
        marked.go("a", "b")
        same(marked.lines("c"), [])
        service.end_trouble()
        for number, name in zip([*running, waiting], "abc", strict=True):
            marked.check_ended(number, name)


def may_be_killed_meanwhile(kind):
    """What ended while neither the disk nor the service was there is told of when both are."""
    with kind() as service:
        marked = Marked(service)
        numbers = marked.running("a", "b")
        service.begin_trouble()
        check_refusals(service)
        service.process.kill()
        service.process.wait()
        marked.go("a")
        service.launch()  # a supervisor's: it may end again while the disk is as it is
        until(lambda: service.process.poll() is not None or service.port_file.exists(), "its end, or that it serves")
        same(service.process.poll() in (None, 1), True)
        if service.process.poll() is None:
            same(service.stop(), 0)
        service.end_trouble()
        service.start()
        for number, name in zip(numbers, "ab", strict=True):
            marked.check_ended(number, name)


def may_be_stopped_meanwhile(kind):
    with kind() as service:
        marked = Marked(service)
        numbers = marked.running("a")
        service.begin_trouble()
        check_refusals(service)
        same(service.stop(), 0)
        service.end_trouble()
        service.start()
        same(service.task(numbers[0])["state"], "running")
        marked.go("a")
        marked.check_ended(numbers[0], "a")


TESTS = [goes_on_while_nothing_can_be_saved, what_waits_starts_once_there_is_room, may_be_killed_meanwhile,
         may_be_stopped_meanwhile]  # fmt: skip


def named(test, kind):
    def run():
        test(kind)

    run.__name__ = f"{test.__name__} ({kind.word}, {kind.__name__})"
    return run


def in_own_mounts():
    """This script once more where it may mount; None where that is nowhere."""
    for options in (["--mount"], ["--user", "--map-root-user", "--mount"]):
        tried = subprocess.run(["unshare", *options, "mount", "-t", "tmpfs", "none", "/mnt"], check=False, capture_output=True)
        if tried.returncode == 0:
            again = ["unshare", *options, sys.executable, "-B", Path(__file__)]
            return subprocess.run(again, check=False, env=os.environ | {MOUNTS: "1"}).returncode
    return None


def main():
    if not os.environ.get(MOUNTS) and (status := in_own_mounts()) is not None:
        return status
    if not os.environ.get(MOUNTS):
        print("a small disk is not tried: this host lets nobody mount one here")
    if not kinds():
        print("skipped: nor has this build the layer that a disk can fail under")
        return 77
    return run_all([named(test, kind) for kind in kinds() for test in TESTS])


if __name__ == "__main__":
    sys.exit(main())
