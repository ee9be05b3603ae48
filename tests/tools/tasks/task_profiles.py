#!/usr/bin/env python3
"""Recordings of tasks by `sonde serve`: asked, one in three, profilers that are missing, fail or write too much, and a slow
task, whose incident says in its alert what the recording of the next one found."""

import json
import os
import signal
import stat
import subprocess
import sys
import tempfile
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "shared"))
from _serve import SONDE, Service, run_all, until
from _worker import Worker

HOST = "version: 1\ngpus:\n  - {name: Simulated GPU, count: 2, memory: 80 GiB}\n"
# Runs the task, then leaves a profile that another program made. `--` stands before the task's words.
PROFILER = """#!/bin/sh
echo "$*" >> '{folder}/asked'
output="$1"; shift 2
"$@"
status=$?
cp '{folder}/made.sqlite' "$output.sqlite"
exit $status
"""
OWN_RECORDER = f"""#!/bin/sh
output="$1"; shift 2
exec '{SONDE}' record --trace=cuda,nvtx,osrt -o "$output" -- "$@"
"""
BROKEN = "#!/bin/sh\necho 'this profiler has no licence' >&2\nexit 41\n"
CONFIG = """gpu:
  monitoring:
    interval: 0.1
  multi_gpu:
    max_concurrent_tasks_per_gpu: 4
sonde:
  server:
    port: 0
    port_file: {port_file}
    requests_per_second: 100000
    burst: 100000
  history:
    path: {state}
  alerts:
    webhooks: ["http://127.0.0.1:{hook}/"]
  tasks:
    retries: 0
    types:
      plain: {{command: [/bin/true], memory_bytes: 1GiB, simulated_utilization: 1}}
      third: {{command: [/bin/true], memory_bytes: 1GiB, simulated_utilization: 1, profile: every 3}}
      wait:
        command: [/bin/sh, -c, 'while [ -e "$0" ]; do sleep 0.05; done', '{folder}/hold']
        memory_bytes: 1GiB
        simulated_utilization: 1
      ask: {{model: bert, workers: {{gpu_0: "http://127.0.0.1:{worker}"}}, memory_bytes: 1GiB}}
    profiles:
      command: [{profiler}, "{{output}}", "--"]
      max_bytes: {max_bytes}
      attach_command: {attach}
      attach_seconds: 1.5
"""
# Records a process that runs: its words are kept, and checked.
RECORDER = """#!/bin/sh
kill -0 "$1" && echo "$1 $2" > '{folder}/attached' && cp '{folder}/made.sqlite' "$3.sqlite"
"""


class Hook:
    """Keeps the alerts that it is sent."""

    def __init__(self):
        hook = self
        self.alerts = []

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self):
                hook.alerts.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
                self.send_response(200)
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, *_):
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    @property
    def port(self):
        return self.server.server_address[1]


class Setting:
    def __init__(self, profiler=PROFILER, max_bytes="1GiB", recorder=None, host=HOST):
        self.profiler, self.max_bytes, self.recorder, self.host = profiler, max_bytes, recorder, host
        self.worker = Worker()

    def __enter__(self):
        self.scratch = tempfile.TemporaryDirectory()
        self.folder = Path(self.scratch.name)
        (self.folder / "host.yaml").write_text(self.host)
        subprocess.run([SONDE, "synth", "--iterations", "20", "-o", self.folder / "made.sqlite"], check=True,
                       capture_output=True)  # fmt: skip
        profiler, recorder = self.folder / "profiler", self.folder / "recorder"
        for path, text in ((profiler, self.profiler), (recorder, self.recorder)):
            if text:
                path.write_text(text.replace("{folder}", str(self.folder)))
                path.chmod(path.stat().st_mode | stat.S_IXUSR)
        attach = [str(recorder), "{pid}", "{seconds}", "{output}"] if self.recorder else []
        self.hook = Hook()
        setting = self

        class OwnService(Service):
            def write(self, *_):
                self.config.write_text(CONFIG.format(
                    port_file=self.port_file, state=self.path / "state", hook=setting.hook.port, folder=setting.folder,
                    profiler=profiler, max_bytes=setting.max_bytes, attach=json.dumps(attach),
                    worker=setting.worker.port))  # fmt: skip

        self.service = OwnService(options=("--simulated", str(self.folder / "host.yaml")))
        self.wait_for_gpus()
        return self

    def __exit__(self, *error):
        (self.folder / "hold").unlink(missing_ok=True)
        self.worker.held.set()
        if self.service.process.poll() is None:
            self.service.stop()
        self.service.__exit__(*error)
        self.hook.server.shutdown()
        self.scratch.cleanup()

    def wait_for_gpus(self):
        until(lambda: len(self.get("/api/v1/gpus")["gpus"]) == 2, "the GPUs")

    def get(self, path):
        status, answer = self.service.call("GET", path, role="read")
        assert status == 200, answer
        return answer

    def submit(self, kind, **more):
        status, task = self.service.call("POST", "/api/v1/tasks", {"type": kind} | more, role="submit")
        assert status == 201, task
        return task["id"]

    def ended(self, number):
        return until(lambda: (task := self.get(f"/api/v1/tasks/{number}"))["state"] in
                     ("succeeded", "failed", "cancelled") and task, f"the end of task {number}")  # fmt: skip

    def profiles(self, number):
        return self.get(f"/api/v1/tasks/{number}/profiles")["profiles"]

    def profile(self, number):
        """Of a task, once it is over."""
        return until(lambda: (all := self.profiles(number)) and all[0]["state"] in ("done", "failed") and all[0],
                     f"the recording of task {number}")  # fmt: skip

    def recorded(self, number):
        return self.ended(number)["attempts"][0]["recorded"]


def check(is_true, what):
    if not is_true:
        raise AssertionError(what)


def an_asked_task_is_recorded():
    with Setting() as setting:
        task = setting.submit("plain", profile=True)
        check(setting.ended(task)["state"] == "succeeded" and setting.recorded(task), setting.ended(task))
        profile = setting.profile(task)
        check((profile["why"], profile["state"], profile["trouble"]) == ("asked", "done", None), profile)
        independent = subprocess.run([SONDE, "why", setting.folder / "made.sqlite", "--json"], check=True,
                                     capture_output=True, text=True)  # fmt: skip
        check(profile["findings"] == json.loads(independent.stdout)["findings"] and profile["findings"], profile)
        check(Path(profile["file"]).name == "profile.sqlite" and Path(profile["file"]).exists(), profile)
        types = {each["name"]: each for each in setting.get("/api/v1/task_types")["types"]}
        check([each["task"] for each in types["plain"]["profiles"]] == [task], types["plain"])
        told = subprocess.run([SONDE, "explain", str(task)], check=True, capture_output=True, text=True,
                              env=os.environ | {"SONDE_URL": f"http://127.0.0.1:{setting.service.port}",
                                                "SONDE_API_KEY": setting.service.keys["read"]}).stdout  # fmt: skip
        check("Recorded: attempt 1 (asked)" in told and told.count("- ") >= len(profile["findings"]), told)
        plain = setting.submit("plain")
        check(not setting.recorded(plain) and setting.profiles(plain) == [], setting.profiles(plain))
        until(lambda: "task recorded" in setting.service.text(), "the line in the log")


def sonde_records_itself():
    """The profile of `sonde record`, which has no GPU work: that is what its analysis says."""
    with Setting(OWN_RECORDER) as setting:
        task = setting.submit("plain", profile=True)
        check(setting.ended(task)["state"] == "succeeded" and setting.recorded(task), setting.ended(task))
        profile = setting.profile(task)
        check((profile["state"], profile["trouble"]) == ("done", None), profile)
        about = subprocess.run([SONDE, "info", profile["file"]], check=True, capture_output=True, text=True).stdout
        check("recorded by   Sonde" in about and "OS runtime calls" in about, about)
        check(not list(Path(profile["file"]).parent.glob("*recording-*")), "the recorder left something behind")


def each_third_of_a_type_is_recorded_over_restarts():
    with Setting() as setting:
        first = [setting.recorded(setting.submit("third")) for _ in range(4)]
        setting.service.stop(signal.SIGKILL)
        setting.service.start()
        setting.wait_for_gpus()
        rest = [setting.recorded(setting.submit("third")) for _ in range(5)]
        check(first + rest == [False, False, True] * 3, first + rest)


def a_missing_profiler_leaves_the_task_alone():
    with Setting(profiler=None) as setting:
        task = setting.submit("plain", profile=True)
        check(setting.ended(task)["state"] == "succeeded" and not setting.recorded(task), setting.ended(task))
        profile = setting.profile(task)
        check(profile["state"] == "failed" and "PATH" in profile["trouble"], profile)


def a_profiler_that_fails_is_told_of():
    with Setting(profiler=BROKEN) as setting:
        task = setting.submit("plain", profile=True)
        check(setting.ended(task)["state"] == "failed", setting.ended(task))
        profile = setting.profile(task)
        check(profile["state"] == "failed" and "exit status 41" in profile["trouble"], profile)
        states = [setting.ended(setting.submit("third"))["state"] for _ in range(3)]
        check(states == ["succeeded", "succeeded", "failed"], states)
        last = max(task["id"] for task in setting.get("/api/v1/tasks?type=third")["tasks"])
        setting.profile(last)
        until(lambda: setting.get("/api/v1/queue")["running"] == [], "no task")
        until(lambda: "recording of a task failed" in setting.service.text(), "the line in the log")


def a_huge_profile_is_removed():
    with Setting(max_bytes="1MiB") as setting:
        made = setting.folder / "made.sqlite"
        check(made.stat().st_size > 0, made)
        with made.open("ab") as profile:
            profile.truncate(((made.stat().st_size >> 12) + 1024) << 12)
        task = setting.submit("plain", profile=True)
        profile = setting.profile(task)
        check(profile["file"] is None, profile)
        folder = list((setting.service.path / "state").glob(f"tasks/tasks/{task}/1/*"))
        check(folder == [], folder)


def slow_incident(setting):
    all = setting.get("/api/v1/incidents?state=open")["incidents"]
    return next((one for one in all if one["detector"] == "task_slow"), None)


def a_slow_one(setting):
    """A task that runs until the file `hold` is gone, where others of its type took no time."""
    for task in [setting.submit("wait") for _ in range(24)]:
        setting.ended(task)
    (setting.folder / "hold").touch()
    return setting.submit("wait")


def a_slow_task_is_recorded_while_it_runs():
    with Setting(recorder=RECORDER) as setting:
        slow = a_slow_one(setting)
        profile = setting.profile(slow)
        check((profile["why"], profile["state"]) == ("slow task", "done"), profile)
        task = setting.get(f"/api/v1/tasks/{slow}")
        check(task["state"] == "running" and task["attempts"][0]["recorded"], task)
        check((setting.folder / "attached").read_text().split()[1] == "1.5", profile)
        finding = profile["findings"][0]["says"]
        until(lambda: finding in (slow_incident(setting) or {}).get("summary", ""), "the finding in the incident")
        (setting.folder / "hold").unlink()
        check(setting.ended(slow)["state"] == "succeeded", slow)
        check(len(setting.profiles(slow)) == 1, setting.profiles(slow))


def the_worker_of_a_slow_request_is_recorded():
    own = f"    load: [{{at: 0 s, utilization: 1 %, memory: 2 GiB, pid: {os.getpid()}, process: worker}}]\n"
    with Setting(recorder=RECORDER, host=f"version: 1\ngpus:\n  - name: Simulated GPU\n{own}  - name: Simulated GPU\n") as setting:
        request = {"request": {"inputs": []}}
        for task in [setting.submit("ask", **request) for _ in range(24)]:
            check(setting.ended(task)["state"] == "succeeded", task)
        setting.worker.answers.append(("hold", None))
        slow = setting.submit("ask", **request)
        profile = setting.profile(slow)
        check((profile["why"], profile["state"]) == ("slow task", "done"), profile)
        check((setting.folder / "attached").read_text().split() == [str(os.getpid()), "1.5"], profile)
        until(lambda: profile["findings"][0]["says"] in (slow_incident(setting) or {}).get("summary", ""), "the finding")


def a_slow_task_makes_an_incident_with_the_finding():
    with Setting() as setting:
        slow = a_slow_one(setting)
        incident = lambda: slow_incident(setting)
        until(incident, "the incident while the task runs")
        check(setting.get(f"/api/v1/tasks/{slow}")["state"] == "running", slow)
        (setting.folder / "hold").unlink()
        setting.ended(slow)
        recorded = setting.submit("wait")
        profile = setting.profile(recorded)
        check((profile["why"], profile["state"]) == ("slow task", "done"), profile)
        finding = profile["findings"][0]["says"]
        until(lambda: finding in (incident() or {}).get("summary", ""), "the finding in the incident")
        check(f"task {recorded}" in incident()["summary"], incident())
        until(lambda: any(finding in json.dumps(alert, ensure_ascii=False) for alert in setting.hook.alerts),
              "the finding in an alert")  # fmt: skip


def an_analysis_is_taken_up_again():
    with Setting() as setting:
        made = setting.folder / "made.sqlite"
        (setting.folder / "hold").touch()
        task = setting.submit("wait", profile=True)
        until(lambda: setting.get(f"/api/v1/tasks/{task}")["state"] == "running", "its start")
        until(lambda: (setting.folder / "asked").exists(), "the profiler")
        setting.service.stop(signal.SIGKILL)
        check(made.exists(), made)
        (setting.folder / "hold").unlink()
        setting.service.start()
        setting.wait_for_gpus()
        check(setting.profile(task)["state"] == "done", setting.profiles(task))


if __name__ == "__main__":
    sys.exit(run_all([an_asked_task_is_recorded, sonde_records_itself, each_third_of_a_type_is_recorded_over_restarts,
                      a_missing_profiler_leaves_the_task_alone, a_profiler_that_fails_is_told_of,
                      a_huge_profile_is_removed, a_slow_task_makes_an_incident_with_the_finding,
                      a_slow_task_is_recorded_while_it_runs, the_worker_of_a_slow_request_is_recorded,
                      an_analysis_is_taken_up_again]))  # fmt: skip
