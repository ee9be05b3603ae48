#!/usr/bin/env python3
"""make_command_pages.py COMMANDS.json VERSION FOLDER: writes man pages (man/man1) and completions for bash, zsh and fish
from what `sonde --dump-commands` prints."""

import gzip
import json
import sys
from pathlib import Path

HELP = {"names": ["-h", "--help"], "value": None, "description": "print the help and exit", "choices": None}
VERSION = {"names": ["--version"], "value": None, "description": "print the version and exit", "choices": None}
PROGRAM = {
    "path": "",
    "description": "explains why GPU work is slow, records it, and runs tasks on GPUs",
    "example": "sonde why my.nsys-rep",
    "positionals": [],
    "options": [VERSION],
}


class Command:
    """One command, "sonde baseline list". `children` are its own commands."""

    def __init__(self, row: dict):
        self.words = ["sonde", *row["path"].split()]
        self.path = " ".join(self.words)
        self.description = row["description"]
        self.example = row["example"]
        self.options = list(row["options"])
        if not any("--help" in option["names"] for option in self.options):
            self.options.insert(0, HELP)
        self.positionals = row["positionals"]
        self.children: list[Command] = []

    @property
    def name(self) -> str:
        return self.words[-1]


def read_commands(path: str) -> list[Command]:
    rows = json.loads(Path(path).read_text(encoding="utf-8"))
    commands = [Command(row) for row in [PROGRAM, *rows]]
    by_path = {command.path: command for command in commands}
    for command in commands:
        parent = by_path.get(" ".join(command.words[:-1]))
        if parent:
            parent.children.append(command)
    return commands


def takes_file(option: dict) -> bool:
    return any(word in (option["value"] or "").upper() for word in ("FILE", "FOLDER", "PATH", "DIR", "PROFILE", "OUT"))


# ---- man ----


def roff(text: str) -> str:
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return "\n".join("\\&" + line if line[:1] in (".", "'") else line for line in text.split("\n"))


def man_names(option: dict) -> str:
    value = f"\\ \\fI{roff(option['value'])}\\fR" if option["value"] else ""
    return ", ".join(f"\\fB{roff(name)}\\fR{value}" for name in option["names"])


def positional_name(row: dict) -> str:
    return row["name"].upper()


def man_page(command: Command, version: str) -> str:
    title = "-".join(command.words)
    synopsis = [f"\\fB{roff(command.path)}\\fR"]
    if command.children:
        synopsis.append("\\fICOMMAND\\fR")
    synopsis.append("[\\fIOPTION\\fR]...")
    synopsis += [f"\\fI{roff(positional_name(row))}\\fR" for row in command.positionals]
    parts = [
        f'.TH {title.upper()} 1 "" "sonde {version}" "Sonde"',
        f".SH NAME\n{roff(title)} \\- {roff(command.description)}",
        f".SH SYNOPSIS\n{' '.join(synopsis)}",
    ]
    if command.children:
        rows = [f".TP\n\\fB{roff(child.name)}\\fR\n{roff(child.description)}" for child in command.children]
        parts.append(".SH COMMANDS\n" + "\n".join(rows))
    if command.positionals:
        rows = [f".TP\n\\fI{roff(positional_name(r))}\\fR\n{roff(r['description'])}" for r in command.positionals]
        parts.append(".SH ARGUMENTS\n" + "\n".join(rows))
    rows = []
    for option in command.options:
        choices = f"\nOne of {roff(', '.join(option['choices']))}." if option["choices"] else ""
        rows.append(f".TP\n{man_names(option)}\n{roff(option['description'])}{choices}")
    parts.append(".SH OPTIONS\n" + "\n".join(rows))
    if command.example:
        parts.append(f".SH EXAMPLE\n.nf\n{roff(command.example)}\n.fi")
    related = [f"\\fBsonde{roff('-' + '-'.join(child.words[1:]))}\\fR(1)" for child in command.children]
    if len(command.words) > 1:
        related.insert(0, f"\\fB{roff('-'.join(command.words[:-1]))}\\fR(1)")
    if related:
        parts.append(".SH SEE ALSO\n" + ", ".join(related))
    return "\n".join(parts) + "\n"


def write_man_pages(commands: list[Command], version: str, folder: Path) -> None:
    folder.mkdir(parents=True)
    for command in commands:
        page = man_page(command, version).encode()
        (folder / ("-".join(command.words) + ".1.gz")).write_bytes(gzip.compress(page, mtime=0))


# ---- completions ----


def quoted(text: str) -> str:
    return "'" + text.replace("'", "'\\''") + "'"


def patterns(commands: list[Command]) -> str:
    return " | ".join(quoted(command.path) for command in commands if len(command.words) > 1)


def bash_values(command: Command) -> list[str]:
    """What follows an option that takes a value."""
    rows = []
    for option in command.options:
        if not option["value"] and not option["choices"]:
            continue
        at = " | ".join(quoted(f"{command.path} {name}") for name in option["names"])
        if option["choices"]:
            rows.append(f"    {at}) _sonde_words {quoted(' '.join(option['choices']))} ;;")
        elif takes_file(option):
            rows.append(f"    {at}) COMPREPLY=() ;;")
        else:
            rows.append(f"    {at}) compopt +o default +o bashdefault ;;")
    return rows


BASH = """# Completion of bash for sonde.
_sonde_words() {{ mapfile -t COMPREPLY < <(compgen -W "$1" -- "$cur"); }}

_sonde() {{
  local cur=${{COMP_WORDS[COMP_CWORD]}} prev=${{COMP_WORDS[COMP_CWORD - 1]}} place=sonde i
  COMPREPLY=()
  if [[ $cur == '=' ]]; then
    cur=
  elif [[ $prev == '=' ]]; then
    prev=${{COMP_WORDS[COMP_CWORD - 2]}}
  fi
  for ((i = 1; i < COMP_CWORD; i++)); do
    case "$place ${{COMP_WORDS[i]}}" in
    {paths}) place="$place ${{COMP_WORDS[i]}}" ;;
    *) break ;;
    esac
  done
  case "$place $prev" in
{values}
    *)
      case $cur in
        -*) _sonde_options ;;
        *) _sonde_commands ;;
      esac
      ;;
  esac
}}

_sonde_options() {{
  case $place in
{options}
  esac
}}

# Without a word here, bash completes file names.
_sonde_commands() {{
  case $place in
{commands}
  esac
}}

complete -o default -o bashdefault -F _sonde sonde
"""


def bash_script(commands: list[Command]) -> str:
    def row(command: Command, words: list[str]) -> str:
        return f"    {quoted(command.path)}) _sonde_words {quoted(' '.join(words))} ;;"

    return BASH.format(
        paths=patterns(commands),
        values="\n".join(line for command in commands for line in bash_values(command)),
        options="\n".join(row(c, [name for option in c.options for name in option["names"]]) for c in commands),
        commands="\n".join(row(c, [child.name for child in c.children]) for c in commands if c.children),
    )


def zsh_text(text: str) -> str:
    for character in "\\[]:":
        text = text.replace(character, "\\" + character)
    return text


def zsh_value(option: dict) -> str:
    if option["choices"]:
        return f":{zsh_text(option['value'] or 'value')}:({' '.join(option['choices'])})"
    if not option["value"]:
        return ""
    return f":{zsh_text(option['value'])}:" + ("_files" if takes_file(option) else "")


def zsh_options(command: Command) -> list[str]:
    rows = []
    for option in command.options:
        for name in option["names"]:
            equals = "=" if option["value"] and name.startswith("--") else ""
            rows.append(quoted(f"*{name}{equals}[{zsh_text(option['description'])}]{zsh_value(option)}"))
    return rows


def zsh_place(command: Command) -> str:
    lines = [f"  {quoted(command.path)})"]
    if command.children:
        rows = " ".join(quoted(f"{child.name}:{zsh_text(child.description)}") for child in command.children)
        lines.append(f"    rows=({rows})")
        lines.append("    [[ $PREFIX == -* ]] || _describe -t commands command rows")
    lines.append("    _arguments -s \\")
    lines += [f"      {row} \\" for row in zsh_options(command)]
    lines.append("      '*:file:_files'")
    lines.append("    ;;")
    return "\n".join(lines)


ZSH = """#compdef sonde
# Completion of zsh for sonde.
_sonde() {{
  local place=sonde
  local -a rows
  while ((CURRENT > 2)); do
    case "$place $words[2]" in
    {paths}) place="$place $words[2]" ;;
    *) break ;;
    esac
    shift words
    ((CURRENT--))
  done
  case $place in
{places}
  esac
}}

_sonde "$@"
"""


def zsh_script(commands: list[Command]) -> str:
    return ZSH.format(paths=patterns(commands), places="\n".join(zsh_place(command) for command in commands))


def fish_quoted(text: str) -> str:
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"


def fish_option(command: Command, option: dict) -> str:
    line = f"complete -c sonde -n {fish_quoted(f'__sonde_at {fish_quoted(command.path)}')}"
    for name in option["names"]:
        if name.startswith("--"):
            line += f" -l {fish_quoted(name[2:])}"
        else:
            line += f" {'-s' if len(name) == 2 else '-o'} {fish_quoted(name[1:])}"
    if option["choices"]:
        line += f" -x -a {fish_quoted(' '.join(option['choices']))}"
    elif option["value"]:
        line += " -r" + ("" if takes_file(option) else " -f")
    return f"{line} -d {fish_quoted(option['description'])}"


FISH = """# Completion of fish for sonde.
function __sonde_at
    set -l place sonde
    for word in (commandline -opc)[2..]
        switch "$place $word"
            case {paths}
                set place "$place $word"
            case '*'
                break
        end
    end
    test "$place" = "$argv[1]"
end

{rows}
"""


def fish_script(commands: list[Command]) -> str:
    rows = []
    for command in commands:
        at = fish_quoted(f"__sonde_at {fish_quoted(command.path)}")
        for child in command.children:
            rows.append(f"complete -c sonde -f -n {at} -a {child.name} -d {fish_quoted(child.description)}")
        rows += [fish_option(command, option) for option in command.options]
    paths = " ".join(fish_quoted(command.path) for command in commands if len(command.words) > 1)
    return FISH.format(paths=paths, rows="\n".join(rows))


def main() -> int:
    commands = read_commands(sys.argv[1])
    folder = Path(sys.argv[3])
    write_man_pages(commands, sys.argv[2], folder / "man" / "man1")
    for name, script in (("sonde.bash", bash_script), ("_sonde", zsh_script), ("sonde.fish", fish_script)):
        (folder / name).write_text(script(commands), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
