#!/usr/bin/env python3
"""The files that `sonde ci init` writes are run, step by step, with a profiler that makes synthetic profiles: from a first
run on the main branch, which has no baseline, over one that learns and a pull request that is slower, to an accepted one.
"""

import json
import os
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "shared"))
from _ci import GithubJob, Place, load, read_api
from _cuda import PROGRAM, environment

COMMAND = 'test "$1" != "it\'s" && printf "%s\\n" ran >> "$FAKE_LOG/ran"'
SLOWER = "--plant sync"
RUNS = 6
WARM_UP = 1
CODES = {0: "pass", 1: "fail", 3: "inconclusive", 4: "not_comparable", 5: "error", 139: "error"}
RESULTS = ("gate.json", "gate.md", "gate.xml", "gate.sarif", "gate.codequality.json", "report.html",
           "profile_summary.json", "why.txt", "exit-code")  # fmt: skip


def expect(what, got, wanted, output=""):
    assert got == wanted, f"{what}: {got!r} instead of {wanted!r}\n{output}"


def check_results(place, code):
    out = place.repository / "sonde-gate"
    for name in RESULTS:
        assert (out / name).stat().st_size > 0, f"{name} is empty"
    expect("exit code of the gate", (out / "exit-code").read_text().strip(), str(code), (out / "gate.md").read_text())
    expect("verdict in gate.json", json.loads((out / "gate.json").read_text())["verdict"]["exit_code"], code)
    assert json.loads((out / "profile_summary.json").read_text())["avg_kernel_time"] > 0
    expect("runs kept", len(list((out / "runs").glob("new-*/profile.sqlite"))), RUNS)


def ran(place):
    count = len((place.log / "ran").read_text().splitlines())
    (place.log / "ran").unlink()
    return count


def github_event(name, ref, commit):
    return {"event_name": name, "ref": f"refs/heads/{ref}", "ref_name": ref, "sha": commit,
            "event": {"repository": {"default_branch": "main"}}}  # fmt: skip


def github_once(place, api, name, ref, inputs=None):
    """One run of the workflow on a new commit: both jobs."""
    place.clean()
    place.commit()
    workflow = load(place.repository / ".github/workflows/gpu-performance.yml")
    job = GithubJob(place, github_event(name, ref, place.git("rev-parse", "HEAD").strip()), api)
    job.run(workflow["jobs"]["gate"], inputs)
    if ref == "main":
        kept = place.repository / "kept"
        if (place.repository / "sonde-gate/baseline").exists():
            (place.repository / "sonde-gate/baseline").rename(kept)  # upload and download
        push = GithubJob(place, job.contexts["github"], api).run(workflow["jobs"]["baseline"])
        assert not push.failed, push.output
        subprocess.run(["rm", "-rf", str(kept)], check=True)
    return job


def outcome(job):
    return job.contexts["steps"]["gate"]["outputs"]["outcome"]


def expect_runs(what, place, wanted):
    """Where others use the machine, runs are repeated."""
    most_disturbed = 5
    runs = ran(place)
    assert wanted <= runs <= wanted + most_disturbed, f"{what}: {runs} instead of {wanted}"


def github(folder):
    place = Place(folder)
    place.init("github", COMMAND, "--runs", str(RUNS))
    place.commit()
    api = folder / "api.json"
    api.write_text(json.dumps({"comments": [{"id": 1, "body": "looks good <!-- sonde-gate -->"}], "calls": []}))

    job = github_once(place, api, "push", "main")
    expect("first run on main", (outcome(job), job.failed), ("learning", False), job.output)
    expect_runs("runs of the command", place, RUNS + WARM_UP)
    check_results(place, 0)
    assert "sonde-baseline" in place.git("ls-remote", "origin"), "the first run made no baseline"
    expect("entries in the branch", entries(place), 1)

    job = github_once(place, api, "push", "main")
    expect("second run on main", (outcome(job), job.failed), ("learning", False), job.output)
    check_results(place, 0)
    expect("entries in the branch", entries(place), 2)

    place.plant(SLOWER)
    for call in ("create", "update"):
        job = github_once(place, api, "pull_request", "12/merge")
        expect("slower pull request", (outcome(job), job.failed), ("fail", True), job.output)
        expect("calls of the API", read_api(api)["calls"][-1], call)
    check_results(place, 1)
    state = read_api(api)
    expect("comments", (len(state["comments"]), state["calls"]), (2, ["create", "update"]))
    assert state["comments"][1]["body"].startswith("<!-- sonde-gate -->\n")
    assert "fail" in job.summary and "::error" in job.output
    assert any(uses.startswith("actions/upload-artifact@") for uses, _ in job.used)
    expect("a pull request keeps nothing", entries(place), 2)

    api.write_text(json.dumps(state | {"forbidden": True}))
    job = github_once(place, api, "pull_request", "13/merge")
    expect("pull request of a fork", outcome(job), "fail", job.output)
    assert "::warning::The comment could not be written" in job.output and "fail" in job.summary

    job = github_once(place, api, "push", "main")
    expect("merged all the same", (outcome(job), job.failed, entries(place)), ("fail", True, 2), job.output)
    job = github_once(place, api, "workflow_dispatch", "main", {"accept": True})
    expect("accepted", (outcome(job), job.failed, entries(place)), ("fail", False, 3), job.output)
    job = github_once(place, api, "push", "main")
    expect("after it was accepted", (outcome(job), job.failed), ("learning", False), job.output)
    print("github: first run, learning, fail, comment made and updated, fork, accepted")


def entries(place):
    names = place.git("ls-tree", "-r", "--name-only", branch_commit(place))
    return sum(name.endswith("entry.json") for name in names.splitlines())


def branch_commit(place):
    place.git("fetch", "-q", "origin", "+refs/heads/sonde-baseline:refs/remotes/origin/sonde-baseline")
    return "refs/remotes/origin/sonde-baseline"


def gitlab_once(place, branch, more=()):
    """Exit code and output of the job."""
    included = load(place.repository / ".gitlab-ci.yml")["include"][0]["local"]
    job = load(place.repository / included)["gpu-performance"]
    known = {"CI_PROJECT_PATH_SLUG": "team-model", "CI_COMMIT_SHA": "c" * 40, "CI_DEFAULT_BRANCH": "main",
             "CI_COMMIT_BRANCH": branch, "CI_API_V4_URL": "https://git.example/api/v4", "CI_PROJECT_ID": "5"}  # fmt: skip
    variables = {}
    for name, value in job["variables"].items():
        if isinstance(value, dict):
            assert value["expand"] is False
            variables[name] = value["value"]
            continue
        for key, text in known.items():
            value = value.replace(f"${key}", text)
        variables[name] = value
    code, output = place.shell("\n".join(job["script"]), known | variables | dict(more))
    return code, output, job


def gitlab(folder):
    place = Place(folder)
    place.init("gitlab", COMMAND, "--runs", str(RUNS))
    place.commit()
    code, output, job = gitlab_once(place, "main")
    expect("first pipeline", code, 0, output)
    check_results(place, 0)
    code, output, _ = gitlab_once(place, "main")
    expect("second pipeline", code, 0, output)
    for name in [*job["artifacts"]["reports"].values(), *job["artifacts"]["paths"]]:
        assert (place.repository / name).exists(), f"the artifact {name} is not there"
    expect("outcomes that do not hold up a merge", job["allow_failure"], {"exit_codes": [3]})
    place.plant(SLOWER)
    request = {"CI_MERGE_REQUEST_IID": "9", "SONDE_GITLAB_TOKEN": "token", "CI_COMMIT_BRANCH": ""}
    for _ in range(2):
        code, output, _ = gitlab_once(place, "", request)
        expect("slower merge request", code, 1, output)
    notes = json.loads((place.log / "notes").read_text())
    expect("notes", len(notes), 1)
    assert notes[0]["body"].startswith("<!-- sonde-gate -->"), notes
    (place.log / "forbidden").touch()
    code, output, _ = gitlab_once(place, "", request)
    expect("a token that may not write", code, 1, output)
    print("gitlab: first pipeline, learning, fail, note made and updated")


def mapping(folder):
    """What fails a job, by the gate's exit code; a missing one is an error."""
    place = Place(folder)
    place.init("github", "true")
    out = place.repository / "sonde-gate"
    out.mkdir()
    script = "bash .sonde/ci/gate.sh "
    for code, name in CODES.items():
        (out / "exit-code").write_text(f"{code}\n")
        expect(f"outcome of {code}", place.shell(script + "outcome", {})[1].strip(), name)
        fails = name in ("fail", "not_comparable", "error")
        expect(f"verdict of {code}", place.shell(script + "verdict", {})[0], code if fails else 0)
        every = place.shell(script + "verdict", {"SONDE_FAIL_ON": "fail inconclusive not_comparable error"})[0]
        expect(f"strict verdict of {code}", every, code)
    (out / "exit-code").write_text("0\n")
    (out / "gate.annotations").write_text("::warning file=b.yaml,line=3,title=fail%3A x::slower\n")
    expect("a warning", place.shell(script + "outcome", {})[1].strip(), "warning")
    expect("a warning that fails", place.shell(script + "verdict", {"SONDE_FAIL_ON": "warning"})[0], 1)
    (out / "gate.annotations").unlink()
    (out / "gate.txt").write_text("learning: 1 of 2 checks are not judged yet.\n")
    expect("learning", place.shell(script + "outcome", {})[1].strip(), "learning")
    (out / "exit-code").unlink()
    expect("without a verdict", place.shell(script + "verdict", {})[0], 5)
    print(f"exit codes: {', '.join(map(str, CODES))}, none")


def wrong(folder):
    """Each step says what is missing."""
    place = Place(folder)
    place.init("github", "true")
    for environment, step, says in (
        ({"SONDE_COMMAND": ""}, "profile", "set it to the command to measure"),
        ({"SONDE_COMMAND": "true", "SONDE_RUNS": "ten"}, "profile", "must be a positive integer"),
        ({"SONDE_COMMAND": "true", "SONDE_TOOL": "perf"}, "profile", "unknown SONDE_TOOL 'perf'"),
        ({"SONDE_COMMAND": "true", "SONDE": "no-such-sonde"}, "profile", "there is no 'no-such-sonde' on this machine"),
        ({"SONDE_COMMAND": "true", "SONDE_BUDGET": "none.yaml"}, "profile", "none.yaml"),
        ({"SONDE_COMMAND": "true", "SONDE_TOOL": "custom", "SONDE_RUNS": "1"}, "profile", "begins with $SONDE_PROFILE"),
        ({"SONDE_COMMAND": "exit 9", "SONDE_RUNS": "1"}, "profile", "exit status 9"),
        ({"SONDE_COMMAND": "true", "SONDE_TOOL": "pytorch", "SONDE_RUNS": "1"}, "profile", "SONDE_PROFILE"),
        ({}, "gate", "run the step 'profile' first"),
        ({}, "no-such-step", "gate.sh STEP"),
    ):
        code, output = place.shell(f"bash .sonde/ci/gate.sh {step}", environment)
        assert code != 0 and says in output, f"{step} with {environment} gave {code}: {output}"
    print("steps that cannot be done say why")


def wall_time(folder):
    """Without a profiler: records of wall time, against the baseline and against a command."""
    place = Place(folder)
    place.init("gitlab", "true", "--tool", "none")
    place.commit()
    settings = {"SONDE_COMMAND": "sleep 0.01", "SONDE_TOOL": "none", "SONDE_RUNS": str(RUNS)}
    steps = [f"bash .sonde/ci/gate.sh {step}" for step in ("profile", "analyse", "gate", "outcome")]
    code, output = place.shell("\n".join([*steps, "bash .sonde/ci/gate.sh keep"]), settings)
    expect("first", (code, "gate outcome: learning" in output, f": {RUNS} runs" in output), (0, True, True), output)
    code, output = place.shell("\n".join(steps), settings | {"SONDE_COMMAND": "sleep 0.5"})
    expect("after one entry", "9 more are needed" in " ".join(output.split()), True, output)
    base = {"SONDE_COMMAND": "sleep 0.5", "SONDE_BASE_COMMAND": "sleep 0.01"}
    code, output = place.shell("\n".join(steps), settings | base)
    expect("slower than the base command", "gate outcome: fail" in output, True, output)
    print("wall time: learning against a baseline, fail against a command")


def base_commit(folder):
    """The base of a change is built beside it, and its runs are interleaved with the new ones."""
    place = Place(folder)
    place.init("gitlab", "true", "--tool", "none")
    (place.repository / "source").write_text("sleep 0.01\n")
    base = place.commit()
    (place.repository / "source").write_text("sleep 0.1\n")
    place.commit()
    settings = {"SONDE_TOOL": "none", "SONDE_RUNS": str(RUNS), "SONDE_COMMAND": "bash ./program",
                "SONDE_BUILD": "cp source program", "SONDE_BASE_COMMIT": base}  # fmt: skip
    steps = ["cp source program"] + [f"bash .sonde/ci/gate.sh {step}" for step in ("profile", "gate")]
    code, output = place.shell("\n".join(steps), settings)
    expect("base and new in turn", "base   1 of" in output and "new    1 of" in output, True, output)
    expect("built for the base", (place.repository / ".sonde/base/program").read_text(), "sleep 0.01\n")
    code, output = place.shell("\n".join(steps), settings | {"SONDE_BUILD": "exit 3"})
    expect("a base that cannot be built", "cannot be checked out or built" in output, True, output)
    expect("falls back to the baseline", "gate outcome: learning" in output, True, output)
    print("base commit: built and interleaved; else the stored baseline")


STATISTICS = """#!/usr/bin/env bash
# nsys --stats=true: leaves the report and its export.
while [[ $# -gt 0 && $1 != -o ]]; do shift; done
sonde synth --program inference --iterations 12 --layers 1 --seed "$RANDOM" -o "$2.sqlite" > /dev/null
rm -f "$2.sqlite.planted.json"
cp "$2.sqlite" "$2.nsys-rep"
"""

CONTAINER = """#!/usr/bin/env bash
# docker run --volume FOLDER:/profiles IMAGE COMMAND...: a profiler in the container sees /profiles.
folder=${3%%:*}
sonde synth --program inference --iterations 12 --layers 1 --seed "$RANDOM" -o "$folder/profile.sqlite" > /dev/null
rm -f "$folder/profile.sqlite.planted.json"
"""


def one_profile_a_run(folder):
    """Whatever a tool leaves, a run is one run."""
    place = Place(folder)
    place.init("gitlab", "true")
    place.commit()
    (place.programs / "nsys").write_text(STATISTICS)
    (place.programs / "docker").write_text(CONTAINER)
    (place.programs / "docker").chmod(0o755)
    steps = "\n".join(f"bash .sonde/ci/gate.sh {step}" for step in ("profile", "analyse", "gate"))
    settings = {"SONDE_COMMAND": "true", "SONDE_RUNS": "2", "SONDE_NSYS_OPTIONS": "--stats=true --trace=cuda"}
    inside = 'docker run --volume "$(dirname "$SONDE_PROFILE"):/profiles" image nsys profile -o /profiles/profile true'
    for more in ({}, {"SONDE_TOOL": "custom", "SONDE_COMMAND": inside}):
        code, output = place.shell(steps, settings | more)
        text = (place.repository / "sonde-gate/gate.txt").read_text()
        expect("runs", (code, "new: 2 runs" in text), (0, True), output + text)
    print("one profile a run: nsys with --stats=true, and a tool inside a container")


def default_budget(folder):
    """The budget to begin with finds one kernel that is three times slower in one layer."""
    place = Place(folder)
    place.init("gitlab", "true")
    make = "sonde synth --program inference --seed"
    script = f"for i in 1 2 3 4 5 6; do {make} $i -o a$i.sqlite; {make} 1$i --plant slow_kernel -o b$i.sqlite; done"
    code, output = place.shell(script, {})
    expect("profiles", code, 0, output)
    judge = "sonde gate --budget performance.yaml --base a?.sqlite --new b?.sqlite"
    code, output = place.shell(judge, {})
    expect("one slower kernel", (code, "each kernel" in output), (1, True), output)
    code, output = place.shell(judge.replace("b?", "a[456]").replace("a?", "a[123]"), {})
    assert code in (0, 3), output
    print("default budget: finds one slower kernel")


BUDGET = """version: 1
rules:
  - name: kernels
    metric: avg_kernel_time
    max_change: 3 %
"""


def recorded(folder):
    """With Sonde's own recorder, of a program that uses the stand-in for CUDA."""
    place = Place(folder)
    (place.repository / "performance.yaml").write_text(BUDGET)
    place.init("gitlab", "true", "--tool", "sonde")
    place.commit()
    stand_in = environment()
    words = [f"{name}={shlex.quote(stand_in[name])}" for name in ("SONDE_CUPTI", "SONDE_FAKE_CUPTI", "LD_LIBRARY_PATH")]
    command = lambda mode: " ".join(["env", *words, str(PROGRAM), mode, "30"])
    settings = {"SONDE_TOOL": "sonde", "SONDE_RUNS": str(RUNS)}
    steps = [f"bash .sonde/ci/gate.sh {step}" for step in ("profile", "analyse", "gate", "outcome")]
    keep = "bash .sonde/ci/gate.sh keep"
    code, output = place.shell("\n".join([*steps, keep]), settings | {"SONDE_COMMAND": command("many")})
    expect("first", (code, "gate outcome: learning" in output, f": {RUNS} runs" in output), (0, True, True), output)
    base = {"SONDE_BASE_COMMAND": command("many")}
    code, output = place.shell("\n".join(steps), settings | base | {"SONDE_COMMAND": command("collective")})
    expect("others, longer kernels", "gate outcome: fail" in output, True, output)
    print("sonde record: learning, fail")


def main():
    for part in (mapping, wrong, wall_time, base_commit, one_profile_a_run, default_budget, recorded, github, gitlab):
        if len(sys.argv) > 1 and part.__name__ not in sys.argv[1:]:
            continue
        with tempfile.TemporaryDirectory() as folder:
            part(Path(folder))


if __name__ == "__main__":
    os.environ["LC_ALL"] = "C.UTF-8"
    main()
