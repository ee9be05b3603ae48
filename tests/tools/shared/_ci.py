"""Runs the steps of CI files as their systems would, as far as that can be done without them.

GitHub: the steps of a job in order, a composite action's in its place; `if` and ${{ }} for the expressions that the files
use; `run` under bash with the files of GITHUB_OUTPUT and GITHUB_STEP_SUMMARY; github-script under node with a recorded
API. GitLab: the lines of `script` in one shell that ends at the first failure. Jenkins: _pipeline.groovy.
"""

import json
import os
import re
import shutil
import subprocess
from pathlib import Path

import yaml
from _schema import ROOT

SONDE = os.environ["SONDE"]
FAKE_NSYS = """#!/usr/bin/env bash
# nsys profile OPTIONS -o FILE COMMAND...: runs the command, then writes a profile.
printf '%s\\n' "$*" >> "$FAKE_LOG/nsys"
while [[ $# -gt 0 && $1 != -o ]]; do shift; done
output=$2
shift 2
"$@" || exit $?
number=$(wc -l < "$FAKE_LOG/nsys")
read -r -a plant < "$FAKE_LOG/plant" || true
sonde synth --program inference --iterations 12 --layers 1 --seed "$number" "${plant[@]}" -o "$output.sqlite" > /dev/null
rm -f "$output.sqlite.planted.json"
"""
FAKE_CURL = """#!/usr/bin/env python3
# GitLab's notes of a merge request.
import json, os, sys
from pathlib import Path
log = Path(os.environ["FAKE_LOG"])
calls, notes = log / "curl", log / "notes"
with calls.open("a") as file:
    file.write(json.dumps(sys.argv[1:]) + "\\n")
if (log / "forbidden").exists():
    sys.exit("curl: (22) The requested URL returned error: 403")
kept = json.loads(notes.read_text()) if notes.exists() else []
url = next(a for a in sys.argv if a.startswith("http"))
body = next((Path(a.removeprefix("body@")).read_text() for a in sys.argv if a.startswith("body@")), None)
if body is None:
    print(json.dumps(kept))
elif "PUT" in sys.argv:
    next(n for n in kept if n["id"] == int(url.rsplit("/", 1)[1]))["body"] = body
else:
    kept.append({"id": 7 + len(kept), "body": body})
notes.write_text(json.dumps(kept))
"""


class Place:
    """A repository with an origin, fake programs before the real ones, and a log of their calls."""

    def __init__(self, folder):
        self.repository, self.log, self.programs = folder / "repository", folder / "log", folder / "programs"
        for new in (self.repository, self.log, self.programs, folder / "home"):
            new.mkdir(parents=True)
        for name, text in (("nsys", FAKE_NSYS), ("curl", FAKE_CURL)):
            (self.programs / name).write_text(text)
            (self.programs / name).chmod(0o755)
        (self.programs / "sonde").symlink_to(SONDE)
        self.plant("")
        origin = folder / "origin.git"
        self.git("init", "-q", "--bare", str(origin))
        self.git("init", "-q", "-b", "main", ".")
        self.git("remote", "add", "origin", str(origin))
        self.folder = folder

    def plant(self, options):
        """What the program costs from now on: options of sonde synth."""
        (self.log / "plant").write_text(options + "\n")

    def environment(self, more=()):
        kept = {k: v for k, v in os.environ.items() if not k.startswith(("SONDE", "CI", "GIT"))}
        names = {"name": "tester", "email": "tester@localhost"}
        return kept | {
            "PATH": f"{self.programs}:{os.environ['PATH']}",
            "FAKE_LOG": str(self.log),
            "HOME": str(self.folder_home()),
            "SONDE_LOCK": str(self.log / "lock"),
            **{f"GIT_{who}_{key.upper()}": value for who in ("AUTHOR", "COMMITTER") for key, value in names.items()},
        } | dict(more)

    def folder_home(self):
        return self.repository.parent / "home"

    def git(self, *arguments):
        return subprocess.run(
            ["git", *arguments], cwd=self.repository, check=True, capture_output=True, text=True, env=self.environment()
        ).stdout

    def init(self, system, command, *options):
        made = subprocess.run(
            [SONDE, "ci", "init", system, "--command", command, "-o", str(self.repository), *options],
            capture_output=True, text=True,
        )
        assert made.returncode == 0, made.stderr
        return made.stdout

    def commit(self):
        self.git("add", "-A")
        self.git("commit", "-q", "-m", "state", "--allow-empty")
        return self.git("rev-parse", "HEAD").strip()

    def shell(self, script, environment):
        """Exit code and output of a script, as a step of any CI system."""
        done = subprocess.run(
            ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", script], cwd=self.repository,
            env=self.environment(environment), capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=300,
        )
        return done.returncode, done.stdout + done.stderr

    def clean(self):
        """What actions/checkout leaves of an earlier job."""
        shutil.rmtree(self.repository / "sonde-gate", ignore_errors=True)
        shutil.rmtree(self.repository / ".sonde/baseline", ignore_errors=True)


def load(path):
    """YAML as GitHub and GitLab read it: 'on' is a text."""
    document = yaml.safe_load(path.read_text(encoding="utf-8"))
    if True in document:
        document["on"] = document.pop(True)
    return document


def look_up(path, contexts):
    value = contexts
    for part in path.split("."):
        value = value.get(part, "") if isinstance(value, dict) else ""
    return value


class Expression:
    """The part of GitHub's expressions that the files use: paths, texts, == != && || !, always() and cancelled()."""

    TOKEN = re.compile(r"\s*('(?:[^']|'')*'|&&|\|\||==|!=|[!()]|[\w.-]+)")

    def __init__(self, text, contexts):
        self.tokens, self.contexts = self.TOKEN.findall(text), contexts
        assert "".join(self.tokens).replace(" ", "") == text.replace(" ", ""), f"expression not understood: {text}"

    def take(self, *wanted):
        return self.tokens.pop(0) if self.tokens and self.tokens[0] in wanted else None

    def value(self):
        left = self.both()
        while self.take("||"):
            right = self.both()
            left = left or right
        return left

    def both(self):
        left = self.compared()
        while self.take("&&"):
            right = self.compared()
            left = left and right
        return left

    def compared(self):
        left = self.one()
        while sign := self.take("==", "!="):
            left = (str(left) == str(self.one())) == (sign == "==")
        return left

    def one(self):
        if self.take("!"):
            return not self.one()
        if self.take("("):
            inner = self.value()
            assert self.take(")")
            return inner
        token = self.tokens.pop(0)
        if token.startswith("'"):
            return token[1:-1].replace("''", "'")
        if self.take("("):
            assert self.take(")")
            return {"always": True, "cancelled": False}[token]
        return {"true": True, "false": False}.get(token, look_up(token, self.contexts))


def shown(value):
    return str(value).lower() if isinstance(value, bool) else str(value)


def expand(text, contexts):
    if not isinstance(text, str):
        return shown(text)
    # A text in an expression may hold braces: '${{'.
    pattern = r"\$\{\{((?:[^'}]|'(?:[^']|'')*')*)\}\}"
    return re.sub(pattern, lambda m: shown(Expression(m[1].strip(), contexts).value()), text)


def holds(condition, contexts, failed):
    if condition is None:
        return not failed
    inner = re.sub(r"^\$\{\{(.*)\}\}$", r"\1", condition.strip())
    if failed and "always()" not in inner and "cancelled()" not in inner:
        return False
    return bool(Expression(inner.strip(), contexts).value())


class GithubJob:
    """Runs the steps of a job. What uses other actions is recorded in `used`; github-script is run."""

    def __init__(self, place, github, api):
        self.place, self.api = place, api
        self.contexts = {"github": github | {"token": "token"}, "inputs": {}, "steps": {}, "env": {}}
        self.used, self.output, self.failed, self.summary = [], "", False, ""

    def run(self, job, inputs=None):
        self.contexts["inputs"] = inputs or {}
        for step in job["steps"]:
            self.step(step, self.contexts)
        return self

    def step(self, step, contexts):
        if not holds(step.get("if"), contexts, self.failed):
            return
        with_ = {key: expand(value, contexts) for key, value in step.get("with", {}).items() if key != "script"}
        environment = {key: expand(value, contexts) for key, value in step.get("env", {}).items()}
        if "run" in step:
            self.shell(step, environment, contexts)
        elif step["uses"].startswith("./"):
            self.composite(step, with_)
        elif step["uses"].startswith("actions/github-script@"):
            self.script(step["with"]["script"], environment)
        else:
            self.used.append((step["uses"], with_))

    def composite(self, step, with_):
        folder = self.place.repository / step["uses"]
        action = load(folder / "action.yml")
        unknown = set(with_) - set(action["inputs"])
        assert not unknown, f"the action has no input {unknown}"
        defaults = {name: expand(i.get("default", ""), self.contexts) for name, i in action["inputs"].items()}
        inner = {"github": self.contexts["github"], "inputs": defaults | with_, "steps": {}, "path": str(folder)}
        for each in action["runs"]["steps"]:
            self.step(each, inner)
        outputs = {name: expand(o["value"], inner) for name, o in action["outputs"].items()}
        self.contexts["steps"]["gate"] = {"outputs": outputs}

    def shell(self, step, environment, contexts):
        assert "${{" not in step["run"], f"text of others would be run: {step['run']}"
        output, summary = self.place.log / "output", self.place.log / "summary"
        output.write_text("")
        summary.write_text("")
        more = {"GITHUB_OUTPUT": str(output), "GITHUB_STEP_SUMMARY": str(summary), "GITHUB_ACTIONS": "true"}
        more["GITHUB_ACTION_PATH"] = contexts.get("path", "")
        code, text = self.place.shell(step["run"], environment | more)
        self.output += text
        self.summary += summary.read_text()
        self.failed = self.failed or code != 0
        pairs = dict(line.split("=", 1) for line in output.read_text().splitlines())
        contexts["steps"][step.get("id", "")] = {"outputs": pairs}

    def script(self, script, environment):
        assert "${{" not in script
        done = subprocess.run(
            ["node", str(ROOT / "tests/ci/github_script.mjs"), str(self.api)], input=script, cwd=self.place.repository,
            env=self.place.environment(environment), capture_output=True, text=True,
        )
        assert done.returncode == 0, done.stderr
        self.output += done.stdout


def read_api(path):
    return json.loads(path.read_text())
