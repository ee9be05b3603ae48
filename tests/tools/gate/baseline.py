#!/usr/bin/env python3
"""`sonde baseline` in a git work tree: entries of two branches merge without a conflict, commits come from git or from
a CI service, documents keep to their schemas, hostile folders are named and harm nothing."""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "shared"))
from _schema import load, violations

CI_VARIABLES = ("GITHUB_SHA", "GIT_COMMIT", "CI_COMMIT_SHA", "GITHUB_HEAD_REF", "GITHUB_REF_NAME", "GIT_BRANCH",
                "BRANCH_NAME", "CI_COMMIT_REF_NAME", "SONDE_BASELINE")  # fmt: skip
ENVIRONMENT = {k: v for k, v in os.environ.items() if k not in CI_VARIABLES and not k.startswith("GIT_")} | {
    "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull,
    "GIT_AUTHOR_NAME": "A", "GIT_AUTHOR_EMAIL": "a@example.org",
    "GIT_COMMITTER_NAME": "A", "GIT_COMMITTER_EMAIL": "a@example.org",
}  # fmt: skip


class Folder:
    def __init__(self, path):
        self.path = Path(path)

    def sonde(self, *words, code=0, **variables):
        done = subprocess.run(
            [os.environ["SONDE"], *words], cwd=self.path, env=ENVIRONMENT | variables, capture_output=True, text=True
        )
        assert done.returncode == code, f"sonde {' '.join(words)} ends with {done.returncode}: {done.stderr}"
        return done.stdout + done.stderr

    def git(self, *words):
        return subprocess.run(
            ["git", *words], cwd=self.path, env=ENVIRONMENT, check=True, capture_output=True, text=True
        ).stdout.strip()

    def entries(self, *options):
        document, _ = json.JSONDecoder().raw_decode(self.sonde("baseline", "list", "--json", *options))
        broken = list(violations(document, load("baseline_list.schema.json")))
        assert not broken, broken
        return document["entries"]


def git_branches_merge(f):
    f.git("init", "-q", "-b", "main")
    (f.path / "code").write_text("1")
    f.git("add", "code")
    f.git("commit", "-qm", "first")
    first = f.git("rev-parse", "HEAD")
    f.sonde("baseline", "add", "a.sqlite", "b.sqlite", "--pin", "--label", "v1")
    f.git("add", ".sonde")
    f.git("commit", "-qm", "baseline")
    f.git("switch", "-qc", "other")
    f.sonde("baseline", "add", "a.sqlite")
    f.git("add", ".sonde")
    f.git("commit", "-qm", "other's")
    f.git("switch", "-q", "main")
    f.sonde("baseline", "add", "b.sqlite")
    f.git("add", ".sonde")
    f.git("commit", "-qm", "main's")
    f.git("merge", "-q", "other")
    entries = f.entries()
    assert len(entries) == 3, entries
    assert [e["commit"] for e in entries].count(first) == 1
    assert {e["branch"] for e in entries} == {"main", "other"}
    pinned = [e for e in entries if e["pinned"]]
    assert len(pinned) == 1 and pinned[0]["label"] == "v1" and len(pinned[0]["runs"]) == 2
    for path in (f.path / ".sonde/baseline").rglob("entry.json"):
        assert not list(violations(json.loads(path.read_text()), load("baseline.schema.json"))), path


def shown_entry_is_what_summary_says(f):
    shown = json.loads(f.sonde("baseline", "show", "v1", "--json"))
    list_schema = load("baseline_list.schema.json")
    assert not list(violations(shown, list_schema["$defs"]["shown"]))
    figures = {figure["metric"]: figure for figure in shown["figures"]}
    for run, profile in enumerate(("a.sqlite", "b.sqlite")):
        summary = json.loads(f.sonde("summary", "--json", profile))
        assert figures["wall_time"]["values"][run] == summary["total_ns"], (figures["wall_time"], summary["total_ns"])
    assert figures["wall_time"]["runs"] == 2 and figures["step_time"]["mean"] > 0
    assert "v1" in f.sonde("baseline", "show", "default@v1")


def commits_of_ci_services(folder):
    """Outside a work tree."""
    f = Folder(folder)
    for variable in ("GITHUB_SHA", "GIT_COMMIT", "CI_COMMIT_SHA"):
        f.sonde("baseline", "add", "a.sqlite", "--store", f"s-{variable}", GIT_CEILING_DIRECTORIES="/", **{variable: "a" * 40})
        (entry,) = f.entries("--store", f"s-{variable}")
        assert entry["commit"] == "a" * 40, entry
    f.sonde("baseline", "add", "a.sqlite", "--store", "s", "--commit", "b" * 40, GITHUB_SHA="a" * 40)
    assert f.entries("--store", "s")[0]["commit"] == "b" * 40
    said = f.sonde("baseline", "add", "a.sqlite", "--store", "t", GIT_CEILING_DIRECTORIES="/")
    assert "commit unknown" in said, said
    f.sonde("baseline", "add", "a.sqlite", SONDE_BASELINE="elsewhere")
    assert (f.path / "elsewhere/default").is_dir() and not (f.path / ".sonde").exists()


def pin_prune_remove(folder):
    f = Folder(folder)
    for day in range(1, 7):
        f.sonde("baseline", "add", "a.sqlite", "--commit", f"{day}" * 8, "--time", f"2026-01-0{day}")
    f.sonde("baseline", "pin", "11111111")
    said = f.sonde("baseline", "prune", "--keep", "2", "--dry-run")
    assert said.count("would be removed") == 3 and len(f.entries()) == 6, said
    f.sonde("baseline", "prune", "--keep", "2")
    assert [e["commit"][0] for e in f.entries()] == ["1", "5", "6"]
    f.sonde("baseline", "unpin", "11111111")
    f.sonde("baseline", "prune", "--older-than", "2026-01-06")
    assert [e["commit"][0] for e in f.entries()] == ["6"]
    f.sonde("baseline", "remove", "latest")
    assert f.entries() == []
    f.sonde("baseline", "prune", code=2)
    assert "needs a date" in f.sonde("baseline", "prune", "--older-than", "soon", code=1)


def hostile_folders(folder):
    f = Folder(folder)
    f.sonde("baseline", "add", "a.sqlite", "--commit", "1" * 8)
    (good,) = f.entries()
    store = f.path / ".sonde/baseline"
    entry_text = (store / "default" / good["id"] / "entry.json").read_text()
    for name, text in {"empty": "", "deep": "[" * 200000, "text": "\x1b[31m", "wide": "x" * (2 << 20)}.items():
        (store / "default" / name).mkdir()
        (store / "default" / name / "entry.json").write_text(text)
    (store / "default" / "pipe").mkdir()
    os.mkfifo(store / "default" / "pipe" / "entry.json")
    outside = json.loads(entry_text)
    outside["runs"][0]["file"] = "../../../a.sqlite"
    (store / "default" / "outside").mkdir()
    (store / "default" / "outside" / "entry.json").write_text(json.dumps(outside))
    (store / "file").write_text("no folder")
    said = f.sonde("baseline", "list")
    assert said.count("Left out: ") == 6 and "\x1b" not in said, said
    assert "is not a regular file" in said and "larger than" in said and "not the name of a file" in said, said
    assert len(f.entries()) == 1
    for name in ("empty", "deep", "text", "wide", "pipe", "outside"):
        f.sonde("baseline", "remove", f"default@{name}")
    assert "Left out" not in f.sonde("baseline", "list")
    for name in ("../x", "a/b", ".x", ""):
        f.sonde("baseline", "add", "a.sqlite", "--name", name, code=1)
    assert "for example 'feature-x'" in f.sonde("baseline", "add", "a.sqlite", "--name", "feature/x", code=1)
    f.sonde("baseline", "add", "nothing.sqlite", code=1)
    assert len(f.entries()) == 1


def history_of_entries(folder):
    f = Folder(folder)
    for day in range(1, 17):
        profile = "a.sqlite" if day < 9 else "slow.sqlite"
        f.sonde("baseline", "add", profile, "--commit", f"{day:08x}", "--time", f"2026-01-{day:02d}")
    f.sonde("history", "--metric", "kernels_per_step,step_time", "-o", "h.json")
    document = json.loads((f.path / "h.json").read_text())
    assert not list(violations(document, load("history.schema.json")))
    for series in document["series"]:
        (change,) = series["changes"]
        assert change["commit"] == f"{9:08x}" and change["worse"] and change["p"] == 0, change
        assert series["conditions"]["gpu"], series
    assert "unknown metric 'stpe_time', did you mean 'step_time'?" in f.sonde("history", "--metric", "stpe_time", code=2)
    # A later driver begins a series of its own, unless it is said not to matter.
    for path in sorted((f.path / ".sonde/baseline/default").iterdir())[8:]:
        entry = json.loads((path / "entry.json").read_text())
        entry["conditions"]["driver"] = "999.1"
        (path / "entry.json").write_text(json.dumps(entry))
    said = f.sonde("history", "--metric", "step_time")
    assert said.count("No change points") == 2 and "separate series" in said, said
    assert "worse" in f.sonde("history", "--metric", "step_time", "--allow", "driver")
    assert "did you mean 'driver'?" in f.sonde("history", "--allow", "drivre", code=2)


def main():
    with tempfile.TemporaryDirectory() as folder:
        made = Folder(folder)
        made.sonde("synth", "--iterations", "8", "-o", "a.sqlite")
        made.sonde("synth", "--iterations", "8", "--seed", "2", "-o", "b.sqlite")
        made.sonde("synth", "--iterations", "8", "--plant", "tiny_kernels", "-o", "slow.sqlite")
        tests = (git_branches_merge, commits_of_ci_services, pin_prune_remove, hostile_folders, history_of_entries)
        for test in tests:
            place = made.path / test.__name__
            place.mkdir()
            for profile in ("a", "b", "slow"):
                (place / f"{profile}.sqlite").symlink_to(made.path / f"{profile}.sqlite")
            test(Folder(place) if test is git_branches_merge else place)
            if test is git_branches_merge:
                shown_entry_is_what_summary_says(Folder(place))
            print(f"{test.__name__}: right")
    return 0


if __name__ == "__main__":
    sys.exit(main())
