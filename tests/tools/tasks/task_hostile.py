#!/usr/bin/env python3
"""Submits hostile tasks to `sonde serve` on simulated GPUs, each next to a task that must not notice: floods, trees of
processes, ignored signals, full folders, closed outputs, binary text. Also hostile clients: wrong roles, forged IDs,
other users' keys and tasks."""

import os
import signal
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "shared"))
from _serve import SONDE, run_all, until
from _tasks import Tasks, same

HOSTILE = Path(SONDE).parent / "tests/hostile_task"
LIMIT = 64 << 10  # of each stream
CONFIG = f"""  tasks:
    allow_undeclared_commands: true
    cancel_grace: 0.5
    output_limit: {LIMIT}
    output_total_limit: 32MiB
"""
MOST_GROWTH_MB = 48
# The head, the ring with room for one chunk (src/dispatch/keeper/output_file.h), and whole blocks of both files.
MOST_STREAM_BYTES = LIMIT + (128 << 10)


def processes_of(service, number):
    """What is left of a task, and its keeper."""
    found = []
    marks = [f"SONDE_TASK={number}.".encode(), str(service.path / "state/tasks").encode()]
    for entry in Path("/proc").iterdir():
        try:
            if not entry.name.isdigit() or (entry / "stat").read_text().rsplit(")", 1)[1].split()[0] in "ZX":
                continue
            environment = (entry / "environ").read_bytes()
            if all(mark in environment for mark in marks) or is_keeper(service, number, entry):
                found.append(int(entry.name))
        except OSError:
            continue  # it is over
    return found


def is_keeper(service, number, entry):
    if not (entry / "cmdline").read_bytes().startswith(f"sonde-keeper\0{number}.".encode()):
        return False
    return os.readlink(entry / "fd/4").startswith(str(service.path))


def size_of(folder):
    return sum(file.lstat().st_blocks * 512 for file in folder.rglob("*"))


def folder_of(service, number):
    return service.path / f"state/tasks/tasks/{number}"


@contextmanager
def neighbour(service):
    """A task that runs all the while and then ends as it does elsewhere."""
    go = service.path / "go"
    go.unlink(missing_ok=True)
    script = f"echo begun; while [ ! -e {go} ]; do sleep 0.05; done; echo over; exit 5"
    number = service.submit("/bin/sh", "-c", script, memory="1GiB")
    service.until_state(number, "running")
    yield
    same(service.task(number)["state"], "running")
    status, body = service.call("GET", "/api/v1/health", role="read")
    same((status, body), (200, body))
    go.touch()
    task = service.until_state(number, "failed", "succeeded", "cancelled")
    same((task["cause"], task["attempts"][0]["exit_status"], service.output(number)), ("exit", 5, "begun\nover\n"))


def hostile(service, *words):
    return service.submit(str(HOSTILE), *words, memory="1GiB")


def cancelled(service, number):
    same(service.call("POST", f"/api/v1/tasks/{number}/cancel", role="submit")[0], 200)
    task = service.until_state(number, "cancelled", "failed", "succeeded")
    same(task["state"], "cancelled")
    until(lambda: not processes_of(service, number), "the end of all that the task started")
    return task


def log(service, number, stream="stdout", **query):
    more = "".join(f"&{name}={value}" for name, value in query.items())
    status, body = service.call("GET", f"/api/v1/tasks/{number}/log?stream={stream}{more}", role="read")
    same(status, 200)
    return body


def whole_log(service, number, stream="stdout"):
    """Its parts one after another, and how much is left out."""
    text, at, left_out = "", 0, 0
    while True:
        part = log(service, number, stream, **{"from": at}, limit=8192)
        text += part["text"]
        left_out += part["left_out_bytes"]
        at = part["next"]
        if part["whole"]:
            return text, at, left_out


def floods(service):
    before = service.rss_mb()
    numbers = [hostile(service, "flood", "-1", *error) for error in ([], ["stderr"])]
    for number, stream in zip(numbers, ("stdout", "stderr"), strict=True):
        until(lambda n=number, s=stream: log(service, n, s, **{"from": -4})["next"] > 50 << 20, "50 MiB of output")
    for number in numbers:
        same(size_of(folder_of(service, number)) <= MOST_STREAM_BYTES, True)
        cancelled(service, number)
    number = hostile(service, "flood", str(16 << 20))
    service.until_state(number, "succeeded")
    text, end, left_out = whole_log(service, number)
    same((end, len(text) + left_out), (16 << 20, 16 << 20))
    same(text.startswith(f"{0:015d}\n{16:015d}\n") and text.endswith(f"{(16 << 20) - 16:015d}\n"), True)
    same(size_of(folder_of(service, number)) <= MOST_STREAM_BYTES, True)
    same(service.rss_mb() < before + MOST_GROWTH_MB, True)


def trees(service):
    number = hostile(service, "tree", "3", "4")
    until(lambda: len(processes_of(service, number)) >= 1 + 4 + 16 + 64, "the tree")
    cancelled(service, number)
    number = service.submit("/bin/sh", "-c", f"{HOSTILE} breed 300; sleep 1000", memory="1GiB")
    until(lambda: len(processes_of(service, number)) >= 20, "processes that are born")
    cancelled(service, number)


def daemons(service):
    for what in ("escape", "escape_deaf"):
        number = service.submit("/bin/sh", "-c", f"{HOSTILE} {what}; sleep 1000", memory="1GiB")
        until(lambda n=number: log(service, n)["text"].strip(), "the daemon's number")
        daemon = int(log(service, number)["text"])
        same(daemon in processes_of(service, number), True)
        cancelled(service, number)
        same(Path(f"/proc/{daemon}").exists(), False)
    number = service.submit(str(HOSTILE), "escape_deaf", memory="1GiB")  # it ends, and leaves that one
    task = service.until_state(number, "succeeded", "failed")
    same(task["state"], "succeeded")
    until(lambda: not processes_of(service, number), "the end of what it left, and of its keeper")
    same("left processes running" in task["attempts"][0]["message"], True)


def deaf_ones(service):
    number = hostile(service, "deaf")
    until(lambda: log(service, number)["text"] == "ready\n", "that it is deaf")
    task = cancelled(service, number)
    same("was killed" in task["attempts"][0]["message"], True)
    number = hostile(service, "goodbye")
    until(lambda: log(service, number)["text"] == "ready\n", "that it listens")
    cancelled(service, number)
    same(log(service, number)["text"], "ready\nbye\n")
    number = hostile(service, "stopped")
    until(lambda: len(processes_of(service, number)) == 2, "the stopped one")
    cancelled(service, number)


def killed_ones(service):
    for sent in (signal.SIGKILL, signal.SIGSEGV, signal.SIGTERM):
        task = service.until_state(hostile(service, "signal", str(int(sent))), "failed", "succeeded")
        same((task["cause"], task["attempts"][0]["signal"], len(task["attempts"])), ("signal", int(sent), 1))
    number = hostile(service, "silent")
    until(lambda: len(processes_of(service, number)) == 2, "the silent one")
    same((service.task(number)["state"], log(service, number)["text"]), ("running", ""))
    cancelled(service, number)


def odd_texts(service):
    number = service.submit(str(HOSTILE), "binary", memory="1GiB")
    service.until_state(number, "succeeded")
    text = whole_log(service, number)[0]
    same(text.startswith("".join(map(chr, range(128)))), True)
    line = "x" * 30000
    script = f"printf '%s' {line}; printf '\\033]0;title\\007\\377\\376\\r\\n</script>\\0'; printf '%s' {line}"
    number = service.submit("/bin/sh", "-c", script, name="\u202e<b>\x1b[31m", memory="1GiB")
    task = service.until_state(number, "succeeded")
    text = whole_log(service, number)[0]
    same((text.startswith(line), text.endswith(line), "</script>" in text), (True, True, True))
    same(task["name"], "\u202e<b>\x1b[31m")
    shown = subprocess.run([SONDE, "ps", str(number)], capture_output=True, check=False, env=os.environ | {
        "SONDE_URL": f"http://127.0.0.1:{service.port}", "SONDE_API_KEY": service.keys["read"]})  # fmt: skip
    same((shown.returncode, b"\x1b" in shown.stdout), (0, False))
    same("\x1b" in service.text(), False)


def full_folders(service):
    """What tasks keep in their own folders counts, also while many others end; what is too much keeps others out until it
    is gone."""
    script = 'head -c 40000000 /dev/zero > "$SONDE_TASK_FOLDER/large"; echo full; sleep 1000'
    number = service.submit("/bin/sh", "-c", script, memory="1GiB")
    until(lambda: log(service, number)["text"] == "full\n", "a full folder")

    def is_refused():
        status, body = service.call("POST", "/api/v1/tasks", {"command": ["/bin/true"]}, "submit")
        same(status in (201, 503), True)
        return status == 503 and body["type"] == "/problems/disk_limit"

    until(is_refused, "the refusal of more")
    same(service.task(number)["state"], "running")
    (folder_of(service, number) / "1/large").unlink()
    cancelled(service, number)
    until(lambda: not is_refused(), "room")
    script = 'ulimit -f 1; exec head -c 100000 /dev/zero > "$SONDE_TASK_FOLDER/x"'
    number = service.submit("/bin/sh", "-c", script, memory="1GiB")
    task = service.until_state(number, "failed", "succeeded")
    same((task["state"], task["attempts"][0]["signal"]), ("failed", int(signal.SIGXFSZ)))
    script = 'chmod 0 "$SONDE_TASK_FOLDER"; rm -rf "$SONDE_TASK_FOLDER"; echo gone'
    number = service.submit("/bin/sh", "-c", script, memory="1GiB")
    service.until_state(number, "succeeded", "failed")
    same(service.output(number), "gone\n")


ATTACKS = [floods, trees, daemons, deaf_ones, killed_ones, odd_texts, full_folders]


def beside_a_neighbour(attack):
    def run():
        with Tasks(tasks=CONFIG) as service:
            with neighbour(service):
                attack(service)
            same(service.stop(), 0)

    run.__name__ = f"{attack.__name__}_beside_a_neighbour"
    return run


# What each role may do with each call of tasks: the least one, and what it gets with that.
CALLS = [
    ("POST", "/api/v1/tasks", {"command": ["/bin/true"]}, "submit", 201),
    ("POST", "/api/v1/batches", {"tasks": [{"command": ["/bin/true"]}]}, "submit", 201),
    ("POST", "/api/v1/tasks/{task}/cancel", None, "submit", 409),
    ("POST", "/api/v1/batches/{batch}/cancel", None, "submit", 409),
    ("GET", "/api/v1/tasks", None, "read", 200),
    ("GET", "/api/v1/tasks/{task}", None, "read", 200),
    ("GET", "/api/v1/tasks/{task}/log", None, "read", 200),
    ("GET", "/api/v1/tasks/{task}/explain", None, "read", 200),
    ("GET", "/api/v1/task_types", None, "read", 200),
    ("GET", "/api/v1/batches", None, "read", 200),
    ("GET", "/api/v1/batches/{batch}", None, "read", 200),
    ("GET", "/api/v1/queue", None, "read", 200),
    ("POST", "/api/v1/config/gpu/strategy", {"strategy": "random"}, "admin", 200),
    ("POST", "/api/v1/config/gpu/max_concurrent_tasks", {"max_concurrent_tasks": 4}, "admin", 200),
    ("POST", "/api/v1/config/reload", None, "admin", 200),
]
ROLES = ("read", "submit", "admin")


def each_role_does_what_it_may():
    with Tasks() as service:
        batch = service.call("POST", "/api/v1/batches", {"tasks": [{"command": ["/bin/true"]}]}, "submit")[1]["id"]
        task = service.submit("/bin/true")
        for number in (task, service.call("GET", f"/api/v1/tasks?batch={batch}", role="read")[1]["tasks"][0]["id"]):
            service.until_state(number, "succeeded")
        for method, path, body, least, wanted in CALLS:
            path = path.format(task=task, batch=batch)
            same((path, service.call(method, path, body)[0]), (path, 401))
            same(service.call(method, path, body, headers={"Authorization": "Bearer sonde_x"})[0], 401)
            for role in ROLES:
                status = service.call(method, path, body, role)[0]
                same((path, role, status), (path, role, wanted if ROLES.index(role) >= ROLES.index(least) else 403))


FORGED = ("0", "-1", "9223372036854775807", "9223372036854775808", "18446744073709551617", "1e0", "1.0", "+1", "0x1", "x",
          "1;2", "%201", "1%00", "%D9%A1", "'%20OR%201=1", "a" * 300)  # fmt: skip


def forged_numbers_name_nothing():
    with Tasks() as service:
        number = service.submit("/bin/true")
        service.until_state(number, "succeeded")
        for forged in FORGED:
            for what, calls in (("tasks", ("", "/log", "/explain", "/profiles")), ("batches", ("",))):
                for call in calls:
                    status = service.call("GET", f"/api/v1/{what}/{forged}{call}", role="read")[0]
                    same((forged, call, status in (400, 404)), (forged, call, True))
                status = service.call("POST", f"/api/v1/{what}/{forged}/cancel", role="admin")[0]
                same((forged, status in (400, 404)), (forged, True))
        for path in ("tasks/..", "tasks/../keys", "tasks/..%2f..%2fkeys", f"tasks/{number}/../../config"):
            same((path, service.call("GET", f"/api/v1/{path}", role="read")[0] in (400, 404)), (path, True))
        for after in ([0], [-1], [2**63 - 1], [number, 10**9]):
            same(service.call("POST", "/api/v1/tasks", {"command": ["/bin/true"], "after": after}, "submit")[0], 400)
        for attempt in ("0", "-1", "2", "9999999", "x", "9223372036854775808"):
            same(service.call("GET", f"/api/v1/tasks/{number}/log?attempt={attempt}", role="read")[0] in (400, 404), True)
        same(service.task(f"00{number}")["id"], number)


def others_are_left_alone():
    """Of two keys with the role submit, neither cancels the other's tasks, nor gets them by its Idempotency-Key."""
    with Tasks() as service:
        service.keys["other"] = service.add_key("other", "submit")
        key = {"Idempotency-Key": "once"}
        mine = service.submit("/bin/sleep", "1000", headers=key)
        status, theirs = service.call("POST", "/api/v1/tasks", {"command": ["/bin/sleep", "1000"]}, "other", key)
        same((status, theirs["id"] == mine, theirs["submitted_by"]), (201, False, "other"))
        status, body = service.call("POST", f"/api/v1/tasks/{mine}/cancel", role="other")
        same((status, body["type"]), (403, "/problems/not_your_task"))
        tasks = [{"command": ["/bin/sleep", "1000"]}]
        status, batch = service.call("POST", "/api/v1/batches", {"tasks": tasks}, "submit")
        same((status, service.call("POST", f"/api/v1/batches/{batch['id']}/cancel", role="other")[0]), (201, 403))
        for role in ("submit", "other"):
            status, body = service.call("POST", "/api/v1/tasks", {"command": ["/bin/false"]}, role, key)
            same((status, body["type"]), (409, "/problems/key_used"))
        same(service.task(mine)["cancelling"], False)
        for number, role in ((mine, "submit"), (theirs["id"], "admin")):
            same(service.call("POST", f"/api/v1/tasks/{number}/cancel", role=role)[0], 200)
        for bad in ("", "a b", "x" * 201, "\xe9"):
            headers = {"Idempotency-Key": bad.encode("latin-1")}
            same(service.call("POST", "/api/v1/tasks", {"command": ["/bin/true"]}, "submit", headers)[0], 400)


TESTS = [*map(beside_a_neighbour, ATTACKS), each_role_does_what_it_may, forged_numbers_name_nothing, others_are_left_alone]

if __name__ == "__main__":
    sys.exit(run_all(TESTS))
