#!/usr/bin/env python3
"""`sonde submit`, `ps`, `logs`, `cancel`, `explain` and `batch` against `sonde serve` with simulated GPUs: what people do
with tasks from the shell, from the type's declaration to the log."""

import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "shared"))
from _serve import PATIENCE_S, ROOT, SONDE, Service, run_all, until

FOUR = ("--simulated", str(ROOT / "examples/simulated_four_gpus.yaml"))
# `hold` runs until the file of its name is there; the test ends it so, or cancels it.
TYPES = """  tasks:
    cancel_grace: 5
    types:
      say:
        command: [/bin/sh, -c, 'echo "$@"; echo "$GREETING" >&2', say]
        allow_arguments: true
        allow_environment: [GREETING]
      hold:
        command: [/bin/sh, -c, 'echo holding; while [ ! -e "$1" ]; do sleep 0.05; done; echo released', hold]
        allow_arguments: true
      fail:
        command: [/bin/sh, -c, 'exit "$1"', fail]
        allow_arguments: true
      hungry:
        command: [/bin/sh, -c, 'echo "torch.OutOfMemoryError: CUDA out of memory." >&2; exit 1', hungry]
      embed:
        command: [/bin/sh, -c, 'echo "shard $SHARD on $CUDA_VISIBLE_DEVICES"', embed]
        allow_environment: [SHARD]
        priority: low
gpu:
  monitoring:
    interval: 0.2
"""


class TaskService(Service):
    """Tasks outlive a service: they are ended before it."""

    def __exit__(self, *error):
        if self.process.poll() is None:
            until(lambda: not self.cancel_all(), "the end of all tasks")
        super().__exit__(*error)

    def cancel_all(self):
        live = json.loads(sonde(self, "ps", "--json", role="admin").stdout)["tasks"]
        if waiting := [str(task["id"]) for task in live if not task["cancelling"]]:
            sonde(self, "cancel", *waiting, role="admin")
        return live


def service(other=TYPES, config="requests_per_second: 100000\nburst: 100000"):
    return TaskService(config, other, FOUR)


def sonde(at, *words, role="submit"):
    environment = os.environ | {"SONDE_URL": f"http://127.0.0.1:{at.port}", "SONDE_API_KEY": at.keys[role]}
    return subprocess.run([SONDE, *words], capture_output=True, text=True, env=environment, timeout=PATIENCE_S, check=False)


def expect(done, code, stdout=None, stderr=None):
    assert done.returncode == code, f"ended with {done.returncode}, not {code}: {done}"
    assert stdout is None or done.stdout == stdout, f"printed {done.stdout!r}, not {stdout!r}"
    assert stderr is None or stderr in done.stderr, f"{stderr!r} is not in {done.stderr!r}"
    return done


def submit(at, *words):
    return int(expect(sonde(at, "submit", *words), 0).stdout)


def state(at, number):
    return json.loads(expect(sonde(at, "ps", str(number), "--json"), 0).stdout)["tasks"][0]["state"]


def a_task_runs_and_its_log_is_followed():
    with service() as at:
        number = submit(at, "--type", "say", "--name", "greeting", "--env", "GREETING=bye", "--", "hello", "[a,b]", "it's")
        expect(sonde(at, "logs", "-f", str(number)), 0, "hello [a,b] it's\n")
        expect(sonde(at, "logs", str(number)), 0, "hello [a,b] it's\n")
        expect(sonde(at, "logs", str(number), "--stderr"), 0, "bye\n")
        expect(sonde(at, "logs", str(number), "--tail", "5"), 0, "it's\n")
        listed = expect(sonde(at, "ps", "--all"), 0).stdout
        assert re.search(rf"{number} +greeting +say +succeeded +normal +gpu_\d ", listed), listed
        shown = expect(sonde(at, "ps", str(number)), 0).stdout
        assert "hello '[a,b]' 'it'\\''s'" in shown and "by submit" in shown, shown
        explained = expect(sonde(at, "explain", str(number)), 0).stdout
        assert "by least_loaded" in explained and "chosen" in explained and "gpu_3" in explained, explained


def waiting_tells_how_it_ended():
    with service() as at:
        expect(sonde(at, "submit", "--wait", "--type", "fail", "--", "0"), 0, None, "succeeded")
        expect(sonde(at, "submit", "--wait", "--type", "fail", "--", "3"), 3, None, "failed")
        expect(sonde(at, "submit", "--wait", "--type", "hold", "--time-limit", "0.3", "--", "/none"), 124, None, "failed")


def running_out_of_memory_is_told():
    with service() as at:
        done = sonde(at, "submit", "--wait", "--type", "hungry", "--memory", "1GiB")
        assert done.returncode == 1 and "memory" in done.stderr, done
        number = int(done.stdout)
        shown = json.loads(sonde(at, "ps", str(number), "--json").stdout)["tasks"][0]
        assert shown["cause"] == "out_of_memory" and "larger GPU" in shown["reason"], shown


def what_waits_is_explained_and_cancelled():
    with service() as at:
        holding = [submit(at, "--type", "hold", "--gpus", "4", "--memory", "30GiB", "--", str(at.path / "go"))]
        until(lambda: state(at, holding[0]) == "running", "the first task")
        waiting = submit(at, "--type", "hold", "--name", "big", "--memory", "30GiB", "--gpus", "4", "--priority", "high", "--", "/none")
        after = submit(at, "--type", "say", "--after", str(holding[0]), "--", "after")
        until(lambda: state(at, waiting) == "waiting", "the second task")
        explained = expect(sonde(at, "explain", str(waiting)), 0).stdout
        assert "next in the queue" in explained and "gpu_3" in explained and "30.0 GiB" in explained, explained
        listed = expect(sonde(at, "ps"), 0).stdout
        assert [line.split()[0] for line in listed.splitlines()[1:]] == [str(n) for n in (holding[0], waiting, after)], listed
        assert f"after {holding[0]}" in listed, listed
        expect(sonde(at, "cancel", str(waiting)), 0, None)
        assert state(at, waiting) == "cancelled"
        expect(sonde(at, "cancel", str(waiting)), 1, "", "only a waiting or running task can be cancelled")
        expect(sonde(at, "cancel", "999"), 1, "", "999")
        (at.path / "go").touch()
        expect(sonde(at, "logs", "-f", str(holding[0])), 0, "holding\nreleased\n")
        expect(sonde(at, "logs", "-f", str(after)), 0, "after\n")
        running = submit(at, "--type", "hold", "--", "/none")
        until(lambda: state(at, running) == "running", "the last task")
        expect(sonde(at, "cancel", str(running)), 0, None)
        done = expect(sonde(at, "logs", "-f", str(running)), 125, "holding\n")
        assert "cancelled" in done.stderr, done.stderr


def a_batch_is_split():
    with service() as at:
        done = expect(sonde(at, "batch", "--wait", str(ROOT / "examples/batch.yaml")), 0, None, "16 succeeded")
        number = done.stdout.strip()
        batch = json.loads(expect(sonde(at, "batch", "show", number, "--json"), 0).stdout)
        assert len(batch["tasks"]) == 16 and sum(batch["split"].values()) == 16, batch
        assert len(batch["split"]) == 4 and min(batch["split"].values()) >= 4, batch["split"]
        shown = expect(sonde(at, "batch", "show", number), 0).stdout
        assert shown.startswith(f"batch {number} (embeddings): 16 succeeded\n") and "gpu_0 4" in shown, shown
        assert "16 succeeded" in expect(sonde(at, "batch", "list"), 0).stdout
        shards = {sonde(at, "logs", str(task)).stdout.split()[1] for task in batch["tasks"]}
        assert shards == {str(n) for n in range(16)}, shards
        expect(sonde(at, "batch", "cancel", number), 1, "", f"All 16 tasks of batch {number} are finished")


def refusals_say_what_to_do():
    with service() as at:
        expect(sonde(at, "submit", "--", "rm", "-rf", "x"), 1, "", "sonde.tasks")
        expect(sonde(at, "submit", "--type", "sya"), 1, "", "say")
        expect(sonde(at, "submit", "--type", "fail", "--priority", "hgih", "--", "1"), 1, "", "high")
        expect(sonde(at, "submit", "--type", "fail", "--strategy", "best", "--", "1"), 1, "", "least_loaded")
        expect(sonde(at, "submit", "--type", "hungry", "--", "x"), 1, "", "arguments")
        expect(sonde(at, "submit", "--type", "hungry", "--env", "X=1"), 1, "", "allow_environment")
        expect(sonde(at, "submit", "--type", "hungry", "--memory", "much"), 1, "", "memory")
        expect(sonde(at, "submit", "--type", "hungry", "--gpus", "9"), 1, "", "GPUs")
        expect(sonde(at, "submit", "--type", "hungry", "--after", "77"), 1, "", "77")
        expect(sonde(at, "submit", "--type", "hungry", role="read"), 1, "", "requires a key with the role submit")
        expect(sonde(at, "logs", "77"), 1, "", "77")
        assert json.loads(sonde(at, "ps", "--all", "--json").stdout)["tasks"] == []


def the_same_key_gives_the_same_task():
    with service() as at:
        words = ("submit", "--idempotency-key", "k", "--type", "say", "--", "once")
        first = expect(sonde(at, *words), 0).stdout
        expect(sonde(at, *words), 0, first)
        expect(sonde(at, *words, "more"), 1, "", "'k'")


def only_ones_own_tasks_are_listed_and_cancelled():
    with service() as at:
        mine = submit(at, "--type", "hold", "--", str(at.path / "go"))
        theirs = int(expect(sonde(at, "submit", "--type", "hold", "--", str(at.path / "go"), role="admin"), 0).stdout)
        listed = json.loads(expect(sonde(at, "ps", "--mine", "--json"), 0).stdout)["tasks"]
        assert [task["id"] for task in listed] == [mine], listed
        expect(sonde(at, "cancel", str(theirs)), 1, "", "admin")
        expect(sonde(at, "cancel", str(mine), str(theirs), role="admin"), 0)


def undeclared_commands_run_where_they_may():
    with service(TYPES.replace("  tasks:\n", "  tasks:\n    allow_undeclared_commands: true\n")) as at:
        words = ["printf", "%s|", "[1,2]", "--json", "a b", "$HOME", "--"]
        done = expect(sonde(at, "submit", "--wait", "--chdir", str(at.path), "--env", "A=1", "--", *words), 0)
        expect(sonde(at, "logs", done.stdout.strip()), 0, "[1,2]|--json|a b|$HOME|--|")
        where = expect(sonde(at, "submit", "--wait", "--chdir", str(at.path), "--", "pwd"), 0)
        expect(sonde(at, "logs", where.stdout.strip()), 0, f"{at.path}\n")


def tasks_outlive_the_service():
    with service() as at:
        running = submit(at, "--type", "hold", "--", str(at.path / "go"))
        until(lambda: sonde(at, "logs", str(running)).stdout == "holding\n", "its first line")
        at.stop(signal.SIGKILL)
        expect(sonde(at, "ps"), 1, "", "`sonde serve` starts one")
        (at.path / "go").touch()
        at.port_file.unlink()
        with at.log.open("a") as log:
            at.process = subprocess.Popen([SONDE, "serve", "--config", str(at.config), *FOUR], stdout=log, stderr=log)
        until(at.port_file.exists, "the port file")
        at.port = int(at.port_file.read_text().rsplit(":", 1)[1])
        expect(sonde(at, "logs", "-f", str(running)), 0, "holding\nreleased\n")
        assert state(at, running) == "succeeded"


if __name__ == "__main__":
    sys.exit(run_all([
        a_task_runs_and_its_log_is_followed, waiting_tells_how_it_ended, running_out_of_memory_is_told,
        what_waits_is_explained_and_cancelled, a_batch_is_split, refusals_say_what_to_do, the_same_key_gives_the_same_task,
        only_ones_own_tasks_are_listed_and_cancelled, undeclared_commands_run_where_they_may, tasks_outlive_the_service,
    ]))  # fmt: skip
