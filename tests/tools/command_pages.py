#!/usr/bin/env python3
"""Man pages and completions that tools/make_command_pages.py makes of the program's commands: every command and option is
in them, and the shells and groff accept them. Shells that are not installed are left out."""

import gzip
import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

SONDE = os.environ["SONDE"]
GENERATOR = Path(__file__).resolve().parents[2] / "tools" / "make_command_pages.py"
ASK_BASH = """
source "$1"
shift
compopt() { :; }
COMP_WORDS=("$@")
COMP_CWORD=$(($# - 1))
_sonde
printf '%s\\n' "${COMPREPLY[@]}"
"""


def run(*words, **other) -> str:
    done = subprocess.run(words, text=True, capture_output=True, **other)
    if done.returncode != 0 or done.stderr:
        raise AssertionError(f"{' '.join(map(str, words))} ended with {done.returncode}: {done.stdout}{done.stderr}")
    return done.stdout


def check_man_pages(commands: list, folder: Path):
    for command in commands:
        page = folder / f"sonde-{command['path'].replace(' ', '-')}.1.gz"
        text = gzip.decompress(page.read_bytes()).decode()
        for option in command["options"]:
            for name in option["names"]:
                assert name.replace("-", "\\-") in text, f"{page.name} lacks {name}"
        if shutil.which("groff"):
            run("groff", "-ww", "-man", "-Tutf8", "-K", "utf8", input=text)


def bash_words(script: Path, *words: str) -> list[str]:
    return run("bash", "-c", ASK_BASH, "bash", script, *words).split()


def check_bash(commands: list, script: Path):
    names = [command["path"] for command in commands if " " not in command["path"]]
    assert bash_words(script, "sonde", "") == names, bash_words(script, "sonde", "")
    for command in commands:
        offered = set(bash_words(script, "sonde", *command["path"].split(), "-"))
        missing = {name for option in command["options"] for name in option["names"]} - offered
        assert not missing, f"bash: {command['path']} lacks {missing}"
    for command, option in [(c, o) for c in commands for o in c["options"] if o["choices"]]:
        words = command["path"].split()
        offered = bash_words(script, "sonde", *words, option["names"][-1], "")
        assert set(option["choices"]) <= set(offered), f"{words} {option['names']}: {offered}"


def check_fish(script: Path):
    ask = f"source {script}; complete -C 'sonde wh'; complete -C 'sonde baseline li'"
    assert [line.split("\t")[0] for line in run("fish", "--no-config", "-c", ask).splitlines()] == ["why", "list"]


def main() -> int:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        text = run(SONDE, "--dump-commands")
        (folder / "commands.json").write_text(text)
        run(sys.executable, "-B", GENERATOR, folder / "commands.json", "1.2.3", folder / "pages")
        commands = json.loads(text)
        check_man_pages(commands, folder / "pages" / "man" / "man1")
        check_bash(commands, folder / "pages" / "sonde.bash")
        for shell, script in (("bash", "sonde.bash"), ("zsh", "_sonde"), ("fish", "sonde.fish")):
            if shutil.which(shell):
                run(shell, "-n", folder / "pages" / script)
            else:
                print(f"{shell} is not installed: its completion is not checked")
        if shutil.which("fish"):
            check_fish(folder / "pages" / "sonde.fish")
    return 0


if __name__ == "__main__":
    sys.exit(main())
