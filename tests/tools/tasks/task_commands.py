#!/usr/bin/env python3
"""`sonde submit`, `ps`, `logs`, `cancel`, `explain` and `batch` against a stand-in for the service: what they ask, what
they print of every shape of answer, how they end. task_service.py has them against the service itself."""

import fcntl
import json
import os
import pty
import re
import signal
import ssl
import struct
import subprocess
import sys
import tempfile
import termios
import threading
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "shared"))
from _serve import PATIENCE_S, SONDE, make_certificate, run_all, until
from _stand_in import Answer, StandIn, problem

KEY = "sonde_k1234567_secretsecretsecret"
UUIDS = ["GPU-00000000-aaaa-bbbb-cccc-000000000000", "GPU-11111111-aaaa-bbbb-cccc-000000000000"]
QUEUE = {
    "moment": "2021-11-22T08:10:00.000Z",
    "trouble": None,
    "gpus": [{"id": f"gpu_{i}", "uuid": uuid, "tasks": 0, "max_tasks": 8, "reserved_bytes": 0} for i, uuid in enumerate(UUIDS)],
    "waiting": [],
    "running": [],
}  # fmt: skip
HOSTILE = "a\x1b]0;owned\x07\x1b[31mred\r\nb\x00\x9b2Jc\u0085\u202d\tend " + "x" * 4000


def attempt(number=1, gpus=(0,), cause="none", **more):
    return {"number": number, "gpus": [UUIDS[i] for i in gpus], "started": "2021-11-22T08:00:00.000Z", "ended": None,
            "cause": cause, "exit_status": None, "signal": None, "message": None, "reserved_bytes": 17179869184,
            "memory_source": "declared", "peak_bytes": None, "recorded": False} | more  # fmt: skip


def task(number=12, state="waiting", **more):
    made = {"id": number, "name": None, "type": "default", "state": state, "cause": "none", "reason": None,
            "priority": "normal", "command": ["python", "train.py"], "arguments_hidden": False,
            "working_directory": None, "inference": None, "gpus": 1, "memory_bytes": None, "time_limit_seconds": None,
            "strategy": None, "after": [], "batch": None, "retries": 2, "profile": None,
            "submitted": "2021-11-22T08:00:00.000Z", "submitted_by": "ci", "ready": "2021-11-22T08:00:00.000Z",
            "started": None, "ended": None, "wait_seconds": None, "run_seconds": None, "cancelling": False,
            "attempts": []}  # fmt: skip
    return made | more


def over(number, state, cause, reason=None, **of_attempt):
    return task(number, state, cause=cause, reason=reason, attempts=[attempt(cause=cause, **of_attempt)],
                ended="2021-11-22T08:05:00.000Z", wait_seconds=0.2, run_seconds=299.8)  # fmt: skip


def environment(server, **more):
    clean = {name: value for name, value in os.environ.items() if not name.startswith("SONDE_") or name == "SONDE_TEST_DATA"}
    return clean | {"SONDE_URL": server.url if server else "http://127.0.0.1:1", "SONDE_API_KEY": KEY, "TZ": "UTC"} | more


def sonde(server, *words, stdin="", **variables):
    done = subprocess.run([SONDE, *words], capture_output=True, input=stdin.encode(), env=environment(server, **variables),
                          timeout=PATIENCE_S, check=False)  # fmt: skip
    done.stdout, done.stderr = done.stdout.decode(), done.stderr.decode()  # line ends stay what they are
    assert KEY not in done.stdout + done.stderr, f"the key is printed: {done}"
    return done


def expect(done, code, stdout=None, stderr=None):
    assert done.returncode == code, f"ended with {done.returncode}, not {code}: {done}"
    assert stdout is None or done.stdout == stdout, f"printed {done.stdout!r}, not {stdout!r}"
    assert stderr is None or stderr in done.stderr, f"{stderr!r} is not in {done.stderr!r}"
    return done


def in_terminal(server, width, *words):
    """What a command prints on a terminal of that width; its exit status."""
    main, end = pty.openpty()
    fcntl.ioctl(end, termios.TIOCSWINSZ, struct.pack("HHHH", 50, width, 0, 0))
    process = subprocess.Popen([SONDE, *words], stdout=end, stderr=subprocess.PIPE, env=environment(server))
    os.close(end)
    seen = b""
    try:
        while part := os.read(main, 65536):
            seen += part
    except OSError:
        pass  # the other end is closed
    os.close(main)
    process.stderr.close()
    return process.wait(timeout=PATIENCE_S), seen.replace(b"\r\n", b"\n")


def one(asked, method="POST"):
    calls = asked.calls(method)
    assert len(calls) == 1, f"asked {asked.asked}"
    return calls[0]


def a_submission_is_sent_as_it_was_said():
    with tempfile.TemporaryDirectory() as folder, StandIn({"POST /api/v1/tasks": Answer(201, task(12))}) as server:
        request = Path(folder) / "request.json"
        request.write_text('{"inputs": []}')
        done = sonde(server, "submit", "--type", "train", "--name", "resnet", "--priority", "high", "--gpus", "2", "--memory",
                     "16GiB", "--time-limit", "2h", "--strategy", "random", "--after", "3,5-7", "--retries", "4", "--env", "A=b=c",
                     "--env", "SONDE_TEST_SEED", "--chdir", "data", "--profile", "--request", str(request), "--model", "m",
                     SONDE_TEST_SEED="7")  # fmt: skip
        expect(done, 0, "12\n", "task 12 is accepted")
        asked = one(server)
        assert asked.headers["authorization"] == f"Bearer {KEY}", asked.headers
        assert asked.headers["content-type"] == "application/json", asked.headers
        assert re.fullmatch(r"sonde-[0-9a-f]{32}", asked.headers["idempotency-key"]), asked.headers
        assert asked.body == {
            "type": "train", "name": "resnet", "priority": "high", "gpus": 2, "memory": "16GiB", "time_limit_seconds": 7200,
            "strategy": "random", "after": [3, 5, 6, 7], "retries": 4, "environment": {"A": "b=c", "SONDE_TEST_SEED": "7"},
            "working_directory": str(Path.cwd() / "data"), "profile": True, "request": {"inputs": []}, "model": "m",
        }, asked.body  # fmt: skip


def words_go_through_untouched():
    words = ["ps", "[1,2]", "--json", "--", "-x", "", "a b", "{}", "%%", "--gpus=9", "$HOME", "ü\n"]
    with StandIn({"POST /api/v1/tasks": Answer(201, task(12))}) as server:
        expect(sonde(server, "submit", "--", *words), 0)
        assert one(server).body == {"command": words}, one(server).body


def words_of_a_type_are_its_arguments():
    types = {"types": [{"name": "train", "runs": "command"}, {"name": "shell", "runs": "anything"}]}
    for name, member in (("train", "arguments"), ("shell", "command"), ("other", "arguments")):
        with StandIn({"POST /api/v1/tasks": Answer(201, task(12)), "GET /api/v1/task_types": types}) as server:
            expect(sonde(server, "submit", "--type", name, "--", "--lr", "1"), 0)
            assert one(server).body == {"type": name, member: ["--lr", "1"]}, one(server).body


def mistakes_of_usage_are_found_without_the_service():
    for words, said in (
        (["submit"], "nothing to run"),
        (["submit", "--after", "7-5", "--", "x"], "is not in ascending order"),
        (["submit", "--after", "x", "--", "x"], "is not a task ID"),
        (["submit", "--time-limit", "2 weeks", "--", "x"], "is not a time"),
        (["submit", "--time-limit", "-5", "--", "x"], "is not a time above 0"),
        (["submit", "--env", "=x", "--", "x"], "does not name a variable"),
        (["submit", "--env", "SONDE_NO_SUCH", "--", "x"], "the variable is not set here"),
        (["submit", "--gpus", "-1", "--", "x"], "--gpus"),
        (["submit", "--priorty", "high", "--", "x"], "did you mean '--priority'?"),
        (["submit", "--request", "/dev/null/x", "--", "x"], "--request"),
        (["ps", "--state", "runing"], "did you mean 'running'?"),
        (["ps", "0"], "is not a task ID"),
        (["cancel", "1-100000"], "more than 1000"),
        (["logs", "x"], "is not an ID"),
        (["logs", "-1"], "is not an ID"),
        (["explain", "1.5"], "is not an ID"),
        (["batch"], "FILE is missing"),
        (["batch", "shwo"], "did you mean 'show'?"),
        (["batch", "show", "x"], "is not an ID"),
    ):
        with StandIn({}) as server:
            expect(sonde(server, *words), 2, "", said)
            assert not server.asked, f"{words}: asked {server.asked}"


def a_lost_answer_is_asked_for_again():
    with StandIn({"POST /api/v1/tasks": [Answer(0, None), Answer(201, task(12))]}) as server:
        expect(sonde(server, "submit", "--", "x"), 0, "12\n")
        keys = [asked.headers["idempotency-key"] for asked in server.asked]
        assert len(keys) == 2 and keys[0] == keys[1], f"not the same submission: {keys}"
    with StandIn({"POST /api/v1/tasks": Answer(0, None)}) as server:
        expect(sonde(server, "submit", "--", "x"), 1, "", "the connection to")
        assert len(server.asked) == 3, server.asked
    with StandIn({"POST /api/v1/tasks/12/cancel": Answer(0, None)}) as server:
        expect(sonde(server, "cancel", "12"), 1, "", "the connection to")
        assert len(server.asked) == 1, "a call that is not safe to repeat was repeated"


def too_many_requests_are_made_again():
    many = problem(429, "too_many_requests", "The key makes too many.", Retry_After=0)
    with StandIn({"POST /api/v1/tasks": [many, many, Answer(201, task(12))]}) as server:
        expect(sonde(server, "submit", "--", "x"), 0, "12\n")
    with StandIn({"POST /api/v1/tasks": problem(429, "too_many_requests", "Too many.", Retry_After=3600)}) as server:
        expect(sonde(server, "submit", "--", "x"), 1, "", "Too many.")
        assert len(server.asked) == 1, server.asked


def a_full_queue_says_when_to_come_back():
    full = problem(429, "queue_full", "1000 tasks wait.", Retry_After=12)
    with StandIn({"POST /api/v1/tasks": full}) as server:
        expect(sonde(server, "submit", "--", "x"), 1, "", "1000 tasks wait. Retry in 12 s, or use --wait.")
    full = problem(429, "queue_full", "1000 tasks wait.", Retry_After=0)
    answers = {"POST /api/v1/tasks": [full, full, Answer(201, task(12))], "GET /api/v1/tasks/12": over(12, "succeeded", "exit", exit_status=0)}
    with StandIn(answers) as server:
        expect(sonde(server, "submit", "--wait", "--", "x"), 0, "12\n", "the queue is full")


def errors_say_what_to_do():
    expect(sonde(None, "ps"), 1, "", "`sonde serve` starts one, --url or SONDE_URL names another")
    no_key = problem(401, "no_key", "Send it in the header.")
    for words in (["ps"], ["explain", "1"], ["logs", "1"], ["batch", "list"], ["submit", "--", "x"]):
        paths = ("GET /api/v1/tasks", "GET /api/v1/tasks/1", "GET /api/v1/tasks/1/explain", "GET /api/v1/batches", "POST /api/v1/tasks")
        with StandIn(dict.fromkeys(paths, no_key)) as server:
            expect(sonde(server, *words, SONDE_API_KEY=""), 1, "", "sonde keys add NAME --role submit")
            assert "authorization" not in server.asked[0].headers, server.asked[0].headers
    refused = problem(403, "command_not_allowed", "Only declared\x1b[2J commands run here.")
    with StandIn({"POST /api/v1/tasks": refused}) as server:
        done = expect(sonde(server, "submit", "--", "x"), 1, "", "Only declared [2J commands run here.")
        assert "\x1b" not in done.stderr, done.stderr
    for other in (Answer(200, b"<html>"), Answer(502, b"<html>Bad gateway"), Answer(200, b""), Answer(302, b"", {"Location": "http://127.0.0.1:1/"})):
        with StandIn({"GET /api/v1/tasks": other}) as server:
            expect(sonde(server, "ps"), 1, "", "check the URL")
    for odd in ([], 7, None, {"tasks": 5}, {"tasks": [None, 5, [], {"id": "x"}]}, {"tasks": [task(1, name=5, gpus="x", attempts=[3])]}):
        with StandIn({"GET /api/v1/tasks": Answer(200, json.dumps(odd).encode()), "GET /api/v1/tasks/1/explain": Answer(200, json.dumps(odd).encode()), "GET /api/v1/queue": Answer(200, json.dumps(odd).encode())}) as server:
            expect(sonde(server, "ps"), 0)
            expect(sonde(server, "explain", "1"), 0)


def addresses_and_keys_are_checked():
    with StandIn({"GET /api/v1/tasks": {"tasks": []}}) as server, tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "key"
        file.write_text("other_key\n")
        expect(sonde(server, "ps", "--key-file", str(file), SONDE_API_KEY=""), 0)
        assert server.asked[0].headers["authorization"] == "Bearer other_key", server.asked[0].headers
        file.write_text("two words")
        expect(sonde(server, "ps", "--key-file", str(file)), 1, "", f"{file} does not contain a key")
        expect(sonde(server, "ps", "--key-file", folder + "/none"), 1, "", folder)
        expect(sonde(server, "ps", SONDE_API_KEY="a\nX-Other: b"), 1, "", "SONDE_API_KEY does not contain a key")
        expect(sonde(server, "ps", "--url", server.url + "/"), 0)
        expect(sonde(server, "ps", SONDE_URL=server.url, http_proxy="http://127.0.0.1:1"), 0)
        for url, said in (("ftp://x", "begin with http://"), ("http://a:b@x", "must not contain a user or password"), ("http://x?y", "is not the URL of a service")):
            expect(sonde(server, "ps", "--url", url), 1, "", said)


def tls_is_checked():
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days",
                        "2", "-subj", "/CN=stand-in", "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", str(folder / "key.pem"),
                        "-out", str(folder / "certificate.pem")], check=True, capture_output=True)  # fmt: skip
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(folder / "certificate.pem", folder / "key.pem")
        (folder / "other").mkdir()
        make_certificate(folder / "other")
        with StandIn({"GET /api/v1/tasks": {"tasks": []}}, tls=context) as server:
            expect(sonde(server, "ps"), 1, "", "is not trusted")
            expect(sonde(server, "ps", "--ca-file", str(folder / "other/certificate.pem")), 1, "", "--ca-file")
            expect(sonde(server, "ps", "--ca-file", str(folder / "certificate.pem")), 0)


def waiting_ends_as_the_task_did():
    for state, cause, more, code in (
        ("succeeded", "exit", {"exit_status": 0}, 0),
        ("failed", "exit", {"exit_status": 3}, 3),
        ("failed", "signal", {"signal": 9}, 137),
        ("failed", "out_of_memory", {"exit_status": 1}, 1),
        ("failed", "time_limit", {"signal": 15}, 124),
        ("failed", "lost", {}, 125),
        ("failed", "not_started", {}, 125),
        ("cancelled", "cancelled", {"signal": 15}, 125),
        ("cancelled", "queue_timeout", {}, 125),
        ("failed", "exit", {"exit_status": 0}, 125),  # what cannot be is no success
    ):
        states = [task(12, "waiting"), task(12, "running", attempts=[attempt()]), over(12, state, cause, **more)]
        with StandIn({"POST /api/v1/tasks": Answer(201, task(12)), "GET /api/v1/tasks/12": states, "GET /api/v1/queue": QUEUE}) as server:
            done = expect(sonde(server, "submit", "--wait", "--", "x"), code, "12\n", "task 12 runs on gpu_0")
            assert "task 12 waits in the queue" in done.stderr, done.stderr


def waiting_goes_on_over_a_restart():
    stopped = problem(503, "not_ready", "The service is not ready.")
    states = [task(12, "waiting"), Answer(0, None), stopped, over(12, "succeeded", "exit", exit_status=0)]
    with StandIn({"POST /api/v1/tasks": Answer(201, task(12)), "GET /api/v1/tasks/12": states}) as server:
        expect(sonde(server, "submit", "--wait", "--", "x"), 0, "12\n", "the service does not respond")
    states = [task(12, "waiting"), problem(503, "tasks_disabled", "This service does not accept tasks.")]
    with StandIn({"POST /api/v1/tasks": Answer(201, task(12)), "GET /api/v1/tasks/12": states}) as server:
        expect(sonde(server, "submit", "--wait", "--", "x"), 1, "12\n", "This service does not accept tasks.")


def interrupted(server, *words, seen):
    """Exit status and standard error of a command that gets SIGINT once the stand-in was asked as `seen` says."""
    process = subprocess.Popen([SONDE, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment(server), text=True)
    until(lambda: seen(server) or process.poll() is not None, "the request")
    process.send_signal(signal.SIGINT)
    said = process.communicate(timeout=PATIENCE_S)[1]
    assert not [asked for asked in server.asked if "cancel" in asked.path], f"it cancelled: {server.asked}"
    return process.returncode, said


def an_interrupt_leaves_the_task_running():
    running = task(12, "running", attempts=[attempt()])
    answers = {"POST /api/v1/tasks": Answer(201, task(12)), "GET /api/v1/tasks/12": running, "GET /api/v1/queue": QUEUE}

    over_now = threading.Event()

    def hang(_):
        over_now.wait(PATIENCE_S)
        return {"text": "", "next": 0, "left_out_bytes": 0, "whole": False}

    answers["GET /api/v1/tasks/12/log"] = hang
    for words, path in ((["submit", "--wait", "--", "x"], "/api/v1/tasks/12"), (["logs", "-f", "12"], "/api/v1/tasks/12/log")):
        with StandIn(answers) as server:
            code, said = interrupted(server, *words, seen=lambda at, path=path: any(asked.path == path for asked in at.asked))
            assert code == 130 and "task 12 keeps running" in said, (code, said)
    over_now.set()
    batch = {"id": 3, "name": None, "tasks": [1], "states": {"running": 1}, "split": {}}
    with tempfile.TemporaryDirectory() as folder, StandIn({"POST /api/v1/batches": Answer(201, batch), "GET /api/v1/batches/3": batch}) as server:
        file = Path(folder) / "batch.yaml"
        file.write_text("count: 1\ntask: {type: train}\n")
        code, said = interrupted(server, "batch", "--wait", str(file), seen=lambda at: any(asked.method == "GET" for asked in at.asked))
        assert code == 130 and "batch 3 keeps running" in said, (code, said)


def parts(*texts, left_out=0):
    """Answers of a log in parts."""
    at = 0
    made = []
    for number, text in enumerate(texts):
        end = at + len(text.encode())
        made.append({"task": 12, "attempt": 1, "stream": "stdout", "from": at, "next": end,
                     "left_out_bytes": left_out if number == 1 else 0, "whole": number == len(texts) - 1, "text": text})  # fmt: skip
        at = end
    return made


def logs_are_read_to_their_end():
    done_task = over(12, "succeeded", "exit", exit_status=0)
    with StandIn({"GET /api/v1/tasks/12": done_task, "GET /api/v1/tasks/12/log": parts("one\n", "two\n", "three\n", left_out=3 << 20)}) as server:
        expect(sonde(server, "logs", "12"), 0, "one\ntwo\nthree\n", "[3 MiB left out: the output exceeds")
        asked = [call for call in server.asked if call.path.endswith("/log")]
        assert [call.query["from"] for call in asked] == ["0", "4", "8"], asked
        assert all(call.query["stream"] == "stdout" and call.query["attempt"] == "1" and "follow" not in call.query for call in asked), asked
    with StandIn({"GET /api/v1/tasks/12": done_task, "GET /api/v1/tasks/12/log": parts("tail\n")}) as server:
        expect(sonde(server, "logs", "12", "--stderr", "--tail", "100", "--attempt", "2"), 0, "tail\n")
        asked = server.asked[-1].query
        assert asked["stream"] == "stderr" and asked["from"] == "-100" and asked["attempt"] == "2", asked
    with StandIn({"GET /api/v1/tasks/12": task(12)}) as server:
        expect(sonde(server, "logs", "12"), 0, "", "was not started")
    with StandIn({"GET /api/v1/tasks/12": problem(404, "unknown_task", "No task has the ID 12.")}) as server:
        expect(sonde(server, "logs", "12"), 1, "", "No task has the ID 12.")


def a_followed_log_goes_over_attempts():
    first = attempt(1, cause="out_of_memory", ended="2021-11-22T08:01:00.000Z")
    states = [task(12, "waiting"), task(12, "running", attempts=[attempt()]),
              task(12, "running", attempts=[first, attempt(2, gpus=(1,))]),
              task(12, "failed", cause="exit", attempts=[first, attempt(2, cause="exit", exit_status=5)])]  # fmt: skip

    def log(asked):
        assert asked.query["follow"] == "true", asked
        at, number = int(asked.query["from"]), asked.query["attempt"]
        whole = {"1": "first\n", "2": "second\n"}[number]
        return {"from": at, "next": min(at + 3, len(whole)), "left_out_bytes": 0, "whole": at + 3 >= len(whole), "text": whole[at : at + 3]}

    with StandIn({"GET /api/v1/tasks/12": states, "GET /api/v1/tasks/12/log": log, "GET /api/v1/queue": QUEUE}) as server:
        done = expect(sonde(server, "logs", "-f", "12"), 5, "first\nsecond\n", "task 12 is retried: attempt 2")
        assert "task 12 failed: exit status 5; `sonde logs 12 --stderr` prints its standard error" in done.stderr, done.stderr


def logs_cannot_command_a_terminal():
    text = "ok\x1b[31mred\x1b[0m \x1b]0;title\x07\x1b[2J\x1b[Hhome\x1b[6n\x9b5n\u009b2J\x1bPq\x1b\\x\x0e\x7f\b|\r\x1b[Kbar\x1b[1;2Hmoved\x1b[?1049h!\n"
    answers = {"GET /api/v1/tasks/12": over(12, "succeeded", "exit", exit_status=0), "GET /api/v1/tasks/12/log": parts(text[:20], text[20:])}
    with StandIn(answers) as server:
        code, seen = in_terminal(server, 80, "logs", "12")
        assert code == 0 and seen == b"ok\x1b[31mred\x1b[0m home5n2Jx\b|\r\x1b[Kbarmoved!\n\x1b[0m", seen
    with StandIn(answers) as server:
        expect(sonde(server, "logs", "12"), 0, text)  # a pipe gets it as it is


def list_answers(tasks, queue=None, **more):
    return {"GET /api/v1/tasks": {"tasks": tasks, "next_before": None}, "GET /api/v1/queue": queue or QUEUE} | more


def ps_lists_in_order():
    tasks = [
        task(17, "blocked", after=[12, 13], ready=None),
        task(16, "waiting", name="late", memory_bytes=8 << 30, gpus=2),
        task(15, "waiting", name="next", ready="2021-11-22T08:07:30.000Z", priority="high"),
        task(14, "running", name="second", attempts=[attempt(gpus=(1,), started="2021-11-22T08:09:00.000Z")], wait_seconds=0.25),
        task(13, "running", name="first", attempts=[attempt(gpus=(0, 1))], wait_seconds=75, cancelling=True),
        over(11, "failed", "exit", "exit status 3", peak_bytes=5 << 30),
    ]  # fmt: skip
    queue = QUEUE | {"waiting": [tasks[2], tasks[1]], "trouble": "the disk is full"}
    explained = {"GET /api/v1/tasks/15/explain": {"summary": "memory is short"}}
    with StandIn(list_answers(tasks, queue, **explained)) as server:
        done = expect(sonde(server, "ps", "--all"), 0, None, "the service accepts no tasks now: the disk is full")
        rows = [re.split(r"  +", line.strip()) for line in done.stdout.splitlines()]
        assert rows[0] == ["ID", "NAME", "TYPE", "STATE", "PRIO", "GPUS", "MEMORY", "WAIT", "RUN", "REASON"], rows[0]
        assert rows[1:] == [
            ["13", "first", "default", "running", "normal", "gpu_0,gpu_1", "16.0 GiB", "1m15s", "10m00s", "being cancelled"],
            ["14", "second", "default", "running", "normal", "gpu_1", "16.0 GiB", "0.2s", "1m00s"],
            ["15", "next", "default", "waiting", "high", "1", "-", "2m30s", "-", "memory is short"],
            ["16", "late", "default", "waiting", "normal", "2", "8.0 GiB", "10m00s", "-", "number 2 in the queue"],
            ["17", "python train.py", "default", "blocked", "normal", "1", "-", "-", "-", "after 12, 13"],
            ["11", "python train.py", "default", "failed", "normal", "gpu_0", "5.0 GiB", "0.2s", "4m59s", "exit status 3"],
        ], rows[1:]  # fmt: skip


def ps_asks_for_what_is_wanted():
    with StandIn(list_answers([])) as server:
        expect(sonde(server, "ps"), 0, "", "`sonde ps --all`")
        assert server.asked[0].query == {"limit": "100", "state": "blocked,waiting,running"}, server.asked
    with StandIn(list_answers([], **{"GET /api/v1/me": {"name": "a b&c", "role": "submit"}})) as server:
        expect(sonde(server, "ps", "--mine", "--type", "t/1", "--state", "failed,cancelled", "--state", "running", "--limit", "3"), 0)
        assert server.asked[1].query == {"limit": "3", "state": "failed,cancelled,running", "type": "t/1", "by": "a b&c"}, server.asked
    pages = [{"tasks": [task(n) for n in range(500, 300, -1)], "next_before": 301}, {"tasks": [task(n) for n in range(300, 200, -1)], "next_before": None}]
    with StandIn(list_answers([]) | {"GET /api/v1/tasks": pages}) as server:
        done = sonde(server, "ps", "--json", "--limit", "1000")
        assert [t["id"] for t in json.loads(done.stdout)["tasks"]] == list(range(500, 200, -1))
        assert "before" not in server.asked[0].query and server.asked[1].query["before"] == "301", server.asked
    with StandIn(list_answers([task(1)]) | {"GET /api/v1/tasks": {"tasks": [task(1)], "next_before": 1, "extra": 1}}) as server:
        expect(sonde(server, "ps", "--limit", "1"), 0, None, "--limit raises the number")


def tables_fit_the_terminal():
    hostile = [
        task(1234567, "waiting", name=HOSTILE, type=HOSTILE, priority=HOSTILE, reason=HOSTILE, command=[HOSTILE]),
        task(12, "running", name="ünïcödé" * 40, type="t" * 90, attempts=[attempt(gpus=(0, 1), reserved_bytes=80 << 30)], wait_seconds=1e7),
        over(13, "failed", "exit", "a sentence of many words " * 30, peak_bytes=1 << 40),
    ]  # fmt: skip
    batches = {"batches": [{"id": 3, "name": HOSTILE, "submitted": "2021-11-22T08:00:00.000Z", "submitted_by": HOSTILE,
                            "tasks": [1, 2], "states": {"running": 1, HOSTILE: 5}}]}  # fmt: skip
    explained = {"summary": HOSTILE, "unblocks": [HOSTILE, "words " * 100], "gpus": judgements(), "decisions": [], "ahead": []}
    answers = list_answers(hostile) | {"GET /api/v1/batches": batches, "GET /api/v1/tasks/12/explain": explained}
    for width in (80, 100, 160):
        for words in (["ps", "--all"], ["batch", "list"], ["explain", "12"]):
            with StandIn(answers) as server:
                code, seen = in_terminal(server, width, *words)
            text = seen.decode()
            assert code == 0 and text, (words, code)
            bad = [c for c in text if (ord(c) < 32 and c != "\n") or 127 <= ord(c) < 160]
            assert not bad, f"{words} at {width}: control characters {bad[:5]} in {text[:300]!r}"
            lines = [line for line in text.splitlines() if "x" * 60 not in line]  # one word can be longer than a line
            widest = max(map(len, lines))
            assert widest <= width, f"{words} at {width}: a line of {widest}: {max(lines, key=len)!r}"
            if words[0] == "ps":
                assert len(text.splitlines()) == 4, text


def judgements():
    refusal = {"rule": "memory_room", "reason": "8.9 GiB are left, 16.0 GiB are needed", "unblocked": "a task that ends", "for_good": False}
    return [
        {"index": 0, "id": "gpu_0", "uuid": UUIDS[0], "eligible": False, "chosen": False, "score": None, "score_text": None,
         "refusals": [refusal, refusal | {"rule": "capability", "reason": "6.1 is below 7.0", "for_good": True}]},
        {"index": 1, "id": "gpu_1", "uuid": UUIDS[1], "eligible": True, "chosen": True, "score": -12.5, "score_text": "12 % in use",
         "refusals": []},
    ]  # fmt: skip


def explain_speaks_plainly():
    explained = {
        "task": 12, "state": "waiting", "summary": "it waits: no GPU has room", "unblocks": ["task 9 ends"], "position": 3, "ahead": [9, 10],
        "start": {"earliest": "2021-11-22T08:15:00.000Z", "likely": "2021-11-22T08:16:00.000Z", "latest": "2021-11-22T08:19:00.000Z"},
        "start_unknown": None, "gpus": judgements(),
        "decisions": [{"attempt": 1, "moment": "2021-11-22T08:00:00.000Z", "strategy": "least_loaded", "note": "the type has no mapping",
                       "waiting": 4, "gpus": judgements()}],
    }  # fmt: skip
    with StandIn({"GET /api/v1/tasks/12/explain": explained}) as server:
        text = expect(sonde(server, "explain", "12"), 0).stdout
        for line in (
            "It waits: no GPU has room",
            "It is number 3 in the queue, after 9, 10.",
            "Expected start: at any time. 80 % of tasks start within the predicted range, 2021-11-22 08:15:00 to 2021-11-22 08:19:00.",
            "What would let it start:   - task 9 ends",
            "  gpu_0  8.9 GiB are left, 16.0 GiB are needed          6.1 is below 7.0 (this does not change by itself) ",
            "  gpu_1  chosen: 12 % in use (score -12.5)",
            "decided at 2021-11-22 08:00:00 by least_loaded, with 4 waiting:   The type has no mapping ",
        ):
            assert line in text.replace("\n", " "), f"{line!r} is not in\n{text}"
        assert json.loads(sonde(server, "explain", "12", "--json").stdout) == explained
    unknown = explained | {"start": None, "start_unknown": "no task of this type ended yet", "position": 1, "ahead": []}
    with StandIn({"GET /api/v1/tasks/12/explain": unknown}) as server:
        text = sonde(server, "explain", "12").stdout
        assert "It is next in the queue." in text and "Its start time is unknown: no task of this type" in text, text


def cancelling_takes_lists_and_ranges():
    def cancel(asked):
        number = int(asked.path.split("/")[-2])
        if number == 15:
            return problem(409, "task_over", "Task 15 succeeded at 08:00.")
        return task(number, "running", cancelling=True) if number == 14 else task(number, "cancelled", cause="cancelled", reason="cancelled by ci")

    paths = {f"POST /api/v1/tasks/{number}/cancel": cancel for number in (12, 14, 15, 16)}
    with StandIn(paths) as server:
        done = expect(sonde(server, "cancel", "12,14-16", "12", "16"), 1, None, "Task 15 succeeded at 08:00.")
        assert done.stdout == "task 12 was cancelled: cancelled by ci\ntask 14 is being cancelled\ntask 16 was cancelled: cancelled by ci\n", done.stdout
        assert [asked.path.split("/")[-2] for asked in server.asked] == ["12", "14", "15", "16"], server.asked
        assert all(asked.text == "" and "content-type" not in asked.headers for asked in server.asked), server.asked[0].headers
    with StandIn(paths) as server:
        assert [t["id"] for t in json.loads(expect(sonde(server, "cancel", "12", "14", "--json"), 0).stdout)["tasks"]] == [12, 14]


BATCH = """name: sweep
tasks:
  - type: train
    arguments: [--lr, 0.10, --seed, 007, yes]
    environment: {SEED: 1, ON: true}
    time_limit: 1h30m
    memory: 16GiB
    gpus: 2
    after: 3
    retries: 1
    profile: true
  - command: python train.py --name 'a b'
    request: {id: "7", ok: true, n: 1, x: 1.5, none: null, list: [a, 2]}
"""


def batches_are_read_from_yaml_and_json():
    answer = {"id": 3, "name": "sweep", "tasks": [20, 21, 22, 30], "states": {"waiting": 4}, "split": {}}
    expected = {
        "name": "sweep",
        "tasks": [
            {"type": "train", "arguments": ["--lr", "0.10", "--seed", "007", "yes"], "environment": {"SEED": "1", "ON": "true"},
             "time_limit_seconds": 5400, "memory": "16GiB", "gpus": 2, "after": [3], "retries": 1, "profile": True},
            {"command": ["python", "train.py", "--name", "a b"],
             "request": {"id": "7", "ok": True, "n": 1, "x": 1.5, "none": None, "list": ["a", 2]}},
        ],
    }  # fmt: skip
    with tempfile.TemporaryDirectory() as folder, StandIn({"POST /api/v1/batches": Answer(201, answer)}) as server:
        file = Path(folder) / "batch.yaml"
        for text in (BATCH, json.dumps(expected), '{"count": 3, "task": {"type": "t", "arguments": ["{index}"]}}'):
            file.write_text(text)
            expect(sonde(server, "batch", str(file), "--idempotency-key", "k1"), 0, "3\n", "4 tasks: 20-22, 30")
        expect(sonde(server, "batch", "-", stdin=BATCH), 0, "3\n")
        bodies = [asked.body for asked in server.asked]
        assert bodies[0] == bodies[1] == bodies[3] == expected, bodies[0]
        assert bodies[2] == {"count": 3, "task": {"type": "t", "arguments": ["{index}"]}}, bodies[2]
        assert server.asked[0].headers["idempotency-key"] == "k1", server.asked[0].headers


def mistakes_in_batches_have_a_place():
    for text, said in (
        ("name: x\ntasks:\n  - comand: x\n", ":3:5: unknown key 'comand', did you mean 'command'?"),
        ("tasks:\n  - gpus: many\n", ":2:11: expected an integer"),
        ("tasks:\n  - time_limit: soon\n", ":2:17: 'soon' is not a time"),
        ("tasks:\n  - {type: a, type: b}\n", ":2:15: duplicate key 'type'"),
        ("tasks: 3\n", ":1:8: expected a list of tasks"),
        ("name: x\n", "either tasks (a list), or count and task"),
        ("count: 3\n", "either tasks (a list), or count and task"),
        ("tasks: []\ncount: 3\ntask: {}\n", "either tasks (a list), or count and task"),
        ("tasks: [\n", ":2:1: "),
        ("- a\n", "expected a batch with the keys"),
        ("tasks: []\n---\ntasks: []\n", ":2:1: a second document"),
        ("", "expected a batch with the keys"),
        ("tasks:\n  - command: \"'\"\n", ":2:14: the command has an unclosed quote '"),
        ("a: &a [x,x,x,x,x,x,x,x,x,x]\n", "unknown key 'a'"),
        ("tasks:\n  - request: {a: &a [1,1,1,1,1,1,1,1,1,1], b: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a,*a], c: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b,*b], "
         "d: &d [*c,*c,*c,*c,*c,*c,*c,*c,*c,*c], e: &e [*d,*d,*d,*d,*d,*d,*d,*d,*d,*d], f: &f [*e,*e,*e,*e,*e,*e,*e,*e,*e,*e], "
         "g: [*f,*f,*f,*f,*f,*f,*f,*f,*f,*f]}\n", "too large after its references are expanded"),
    ):  # fmt: skip
        with tempfile.TemporaryDirectory() as folder, StandIn({}) as server:
            file = Path(folder) / "batch.yaml"
            file.write_text(text)
            expect(sonde(server, "batch", str(file)), 2, "", said)
            assert not server.asked, server.asked


def batches_are_shown_and_cancelled():
    batch = {"id": 3, "name": "sweep", "submitted": "2021-11-22T08:00:00.000Z", "submitted_by": "ci", "tasks": [20, 21],
             "split": {UUIDS[0]: 1, UUIDS[1]: 1}, "states": {"running": 1, "waiting": 1, "failed": 0}}  # fmt: skip
    answers = list_answers([task(21, batch=3), task(20, "running", batch=3, attempts=[attempt()])])
    answers |= {"GET /api/v1/batches/3": batch, "GET /api/v1/batches": {"batches": [batch]}}
    answers["POST /api/v1/batches/3/cancel"] = batch | {"states": {"cancelled": 2}}
    with StandIn(answers) as server:
        text = expect(sonde(server, "batch", "show", "3"), 0).stdout
        assert text.startswith("batch 3 (sweep): 1 running, 1 waiting\n") and "split      gpu_0 1, gpu_1 1" in text, text
        assert server.asked[-1].query["batch"] == "3", server.asked
        assert json.loads(sonde(server, "batch", "show", "3", "--json").stdout) == batch
        rows = sonde(server, "batch", "list").stdout.splitlines()
        assert re.split(r"  +", rows[1].strip()) == ["3", "sweep", "2", "2021-11-22 08:00:00", "ci", "1 running, 1 waiting"], rows
        expect(sonde(server, "batch", "cancel", "3"), 0, "batch 3 (sweep): 2 cancelled\n")
    for states, code in (({"succeeded": 2}, 0), ({"succeeded": 1, "failed": 1}, 1), ({"cancelled": 2}, 1)):
        polled = [batch, batch | {"states": states}]
        with tempfile.TemporaryDirectory() as folder, StandIn({"POST /api/v1/batches": Answer(201, batch), "GET /api/v1/batches/3": polled}) as server:
            file = Path(folder) / "batch.yaml"
            file.write_text(BATCH)
            expect(sonde(server, "batch", "--wait", str(file)), code, "3\n", "batch 3 (sweep) finished: ")


def commands_can_be_pasted():
    words = ["python", "a b", "it's", "", "$HOME", "new\nline", "\x1b[31m", "tab\t", "back\\slash\n", "ü", "*", "\u009b2J"]
    with StandIn({"GET /api/v1/tasks/12": task(12, command=words, name=HOSTILE), "GET /api/v1/queue": QUEUE}) as server:
        text = expect(sonde(server, "ps", "12"), 0).stdout
        assert not [c for c in text if (ord(c) < 32 and c != "\n") or 127 <= ord(c) < 160], text
        line = next(line for line in text.splitlines() if line.startswith("  runs"))
        pasted = subprocess.run(["bash", "-c", f"printf '%s\\0' {line.removeprefix('  runs').strip()}"], capture_output=True, check=True, env={"LC_ALL": "C.UTF-8", "PATH": os.environ["PATH"]})
        assert pasted.stdout.decode().split("\0")[:-1] == words, pasted.stdout


def a_task_is_shown_whole():
    shown = over(12, "failed", "exit", "exit status 3", exit_status=3, ended="2021-11-22T08:05:00.000Z", peak_bytes=12 << 30)
    shown |= {"name": "resnet", "memory_bytes": 16 << 30, "time_limit_seconds": 7200, "batch": 3, "after": [1, 2, 3]}
    with StandIn({"GET /api/v1/tasks/12": shown, "GET /api/v1/queue": QUEUE}) as server:
        text = expect(sonde(server, "ps", "12"), 0).stdout
        for line in ("task 12 (resnet): failed\n", "reason     exit status 3\n", "memory     16.0 GiB on each GPU, declared\n", "time limit 2h00m\n",
                     "after      1-3\n", "batch      3\n", "by ci\n",
                     "attempt 1: gpu_0, from 2021-11-22 08:00:00 for 5m00s, keeps 16.0 GiB (declared), held at most 12.0 GiB; exit status 3\n"):  # fmt: skip
            assert line in text, f"{line!r} is not in\n{text}"


if __name__ == "__main__":
    sys.exit(run_all([
        a_submission_is_sent_as_it_was_said, words_go_through_untouched, words_of_a_type_are_its_arguments,
        mistakes_of_usage_are_found_without_the_service, a_lost_answer_is_asked_for_again, too_many_requests_are_made_again,
        a_full_queue_says_when_to_come_back, errors_say_what_to_do, addresses_and_keys_are_checked, tls_is_checked,
        waiting_ends_as_the_task_did, waiting_goes_on_over_a_restart, an_interrupt_leaves_the_task_running,
        logs_are_read_to_their_end, a_followed_log_goes_over_attempts, logs_cannot_command_a_terminal, ps_lists_in_order,
        ps_asks_for_what_is_wanted, tables_fit_the_terminal, explain_speaks_plainly, cancelling_takes_lists_and_ranges,
        batches_are_read_from_yaml_and_json, mistakes_in_batches_have_a_place, batches_are_shown_and_cancelled,
        commands_can_be_pasted, a_task_is_shown_whole,
    ]))  # fmt: skip
