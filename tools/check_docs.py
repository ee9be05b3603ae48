#!/usr/bin/env python3
"""Fails on links of *.md files that lead nowhere, on docs files and paths of this tree that do not exist, and on words that
the tree does not use in texts for users: in *.md files, and in string literals and JSX text of src and web/src.

    tools/check_docs.py [--docs]      --docs: only the *.md files
"""

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import unquote

# Words that are easy to misread; plain ones exist for each: report, fix, again, N, continue, freed, previous.
UNCLEAR = re.compile(
    r"\b(told|mends?|mended|anew|so many|so long|nobody|stands? (there|here|twice|in|at|beside)|goes on|given back"
    r"|of before|(?<!there )is (no (?!longer|more|less)|none of )[a-z]+)\b",
    re.IGNORECASE,
)
SOURCES = ("src/**/*.cc", "src/**/*.h", "src/**/*.inc", "web/src/**/*.ts", "web/src/**/*.tsx")
OUTSIDE = re.compile(r"[a-z][a-z0-9+.-]*:", re.IGNORECASE)  # http:, mailto:
LINK = re.compile(r"(?<!\\)\]\(\s*<?([^)>\s]*)>?(?:\s+\"[^\"]*\")?\s*\)")
HTML_LINK = re.compile(r"<(?:a|img|source)\b[^>]*?\s(?:href|src|srcset)=[\"']([^\"']+)[\"']", re.IGNORECASE)
HTML_ANCHOR = re.compile(r"<\w+\b[^>]*?\s(?:id|name)=[\"']([^\"']+)[\"']", re.IGNORECASE)
DOCS_FILE = re.compile(r"(?<![\w/.-])docs/[\w/.-]+\.(?:md|json|png)\b")
# A path of this tree; "*", "...", <name> and NAME are placeholders.
TREE_PATH = re.compile(r"(?<![\w/.<>*-])(?:src|tests|tools|fuzz|web|bench)/[\w./*<>{}-]+")
PLACEHOLDER = re.compile(r"<\w+>|\{\w+\}|\.\.\.|\b[A-Z]{2,}\b(?!\.md)")
FENCE = re.compile(r"^ {0,3}(`{3,}|~{3,})")
CODE_SPAN = re.compile(r"(`+)(?!`).*?(?<!`)\1(?!`)")
IDENTIFIER = re.compile(r"`\w+`")  # a key of JSON or YAML is named as it is
HEADING = re.compile(r"^ {0,3}#{1,6}\s+(.*?)\s*#*\s*$")

# Comments and characters come before strings, so that a quote in them begins none.
CPP_TOKEN = re.compile(
    r"//[^\n]*|/\*.*?\*/|^[ \t]*#[ \t]*include[^\n]*"
    r'|R"(?P<mark>[^\s()\\]{0,16})\((?P<raw>.*?)\)(?P=mark)"'
    r'|"(?P<text>(?:\\.|[^"\\\n])*)"'
    r"|(?<![0-9a-zA-Z_])'(?:\\.|[^'\\\n])+'",
    re.DOTALL | re.MULTILINE,
)
PAGE_TOKEN = re.compile(
    r"(?<![:'\"`])//[^\n]*|/\*.*?\*/|^import\b[^\n]*"
    r'|"(?P<double>(?:\\.|[^"\\\n])*)"'
    r"|'(?P<single>(?:\\.|[^'\\\n])*)'"
    r"|`(?P<template>(?:\\.|[^`\\])*)`",
    re.DOTALL | re.MULTILINE,
)

# What a page shows between tags and braces. Code between them holds none of the words either.
JSX_TEXT = re.compile(r"(?<!=)[>}](?P<jsx>[^<>{}]*\w \w[^<>{}]*)[<{]")


def files(*patterns: str) -> list[Path]:
    globs = [f":(glob){pattern}" for pattern in patterns]
    listed = subprocess.run(
        ["git", "ls-files", "-co", "--exclude-standard", "-z", "--", *globs], check=True, capture_output=True, text=True
    )
    return sorted(Path(name) for name in set(listed.stdout.split("\0")) if name and Path(name).is_file())


def prose(text: str) -> Iterator[tuple[int, str]]:
    """Lines outside of fenced code, with their numbers."""
    fence = ""
    for number, line in enumerate(text.splitlines(), 1):
        mark = FENCE.match(line)
        if fence:
            if mark and mark[1].startswith(fence) and not line.strip(" `~"):
                fence = ""
        elif mark:
            fence = mark[1]
        else:
            yield number, line


def anchor(heading: str) -> str:
    """As GitHub makes it."""
    shown = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", heading)
    shown = re.sub(r"<[^>]*>", "", shown).replace("`", "").replace("*", "")
    return re.sub(r"[^\w\- ]", "", shown.lower()).strip().replace(" ", "-")


def anchors(path: Path, known: dict[Path, set[str]]) -> set[str]:
    if path not in known:
        found: set[str] = set()
        seen: dict[str, int] = {}
        for _, line in prose(path.read_text(encoding="utf-8")):
            found.update(HTML_ANCHOR.findall(line))
            if heading := HEADING.match(line):
                name = anchor(heading[1])
                found.add(f"{name}-{seen[name]}" if name in seen else name)
                seen[name] = seen.get(name, 0) + 1
        known[path] = found
    return known[path]


def broken(path: Path, target: str, known: dict[Path, set[str]]) -> str:
    """Why a link leads nowhere; empty if it leads somewhere."""
    if not target or OUTSIDE.match(target) or target.startswith("//"):
        return "" if target else "the link has no target"
    place, _, part = unquote(target).partition("#")
    file = (path.parent / place) if place else path
    if not file.exists():
        return f"'{target}' leads to a file that does not exist"
    if part and file.suffix == ".md" and part not in anchors(file.resolve(), known):
        return f"'{target}' leads to a heading that does not exist"
    return ""


def link_problems(path: Path, known: dict[Path, set[str]]) -> Iterator[str]:
    for number, line in prose(path.read_text(encoding="utf-8")):
        bare = CODE_SPAN.sub("", line)
        for target in LINK.findall(bare) + HTML_LINK.findall(bare):
            if reason := broken(path, target, known):
                yield f"{path}:{number}: {reason}"


def unclear(path: Path, number: int, text: str) -> Iterator[str]:
    for match in UNCLEAR.finditer(text):
        line = number + text.count("\n", 0, match.start())
        yield f"{path}:{line}: '{' '.join(match[0].split())}' is hard to read; name the actor and the action"


def literals(path: Path, text: str) -> Iterator[tuple[int, str]]:
    """String literals and JSX text with the lines that they begin on."""
    tokens = {".ts": [PAGE_TOKEN], ".tsx": [PAGE_TOKEN, JSX_TEXT]}.get(path.suffix, [CPP_TOKEN])
    for match in (match for token in tokens for match in token.finditer(text)):
        for group, content in match.groupdict().items():
            if content and group != "mark" and not content.isidentifier():
                yield text.count("\n", 0, match.start(group)) + 1, content


def missing_docs(path: Path, text: str) -> Iterator[str]:
    for match in DOCS_FILE.finditer(text):
        if not Path(match[0]).is_file():
            yield f"{path}:{text.count(chr(10), 0, match.start()) + 1}: {match[0]} does not exist"


def exists(named: str) -> bool:
    """Whether a file or folder has this name, with or without its ending."""
    pattern = re.sub(r"\*{2,}", "*", PLACEHOLDER.sub("*", named).rstrip("/."))
    return any(True for ending in ("", ".*") for _ in Path().glob(pattern + ending))


def missing_paths(path: Path, text: str) -> Iterator[str]:
    for match in TREE_PATH.finditer(text):
        if not exists(match[0]):
            yield f"{path}:{text.count(chr(10), 0, match.start()) + 1}: {match[0]} does not exist"


def docs_problems() -> Iterator[str]:
    known: dict[Path, set[str]] = {}
    for path in files("**/*.md"):
        text = path.read_text(encoding="utf-8")
        yield from link_problems(path, known)
        yield from unclear(path, 1, IDENTIFIER.sub("", text))
        bare = LINK.sub("]", text)
        yield from missing_docs(path, bare)
        yield from missing_paths(path, bare)


def source_problems() -> Iterator[str]:
    for path in files(*SOURCES):
        text = path.read_text(encoding="utf-8")
        yield from missing_docs(path, text)
        for number, literal in literals(path, text):
            yield from unclear(path, number, literal)


def main() -> int:
    problems = list(docs_problems())
    if sys.argv[1:] != ["--docs"]:
        problems += source_problems()
    for problem in problems:
        print(problem, file=sys.stderr)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
