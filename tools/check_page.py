#!/usr/bin/env python3
"""Fails on sources of the page that build markup from text or name an address of the network, on sources that import
each other in a circle, and on tools of the page that Debian 12's Node.js cannot run.

Names in profiles are anybody's, and the page must open offline: texts become text nodes, and nothing is fetched. What the
content security policy of the page would stop in a browser is found here before it gets there.
"""

import json
import re
import sys
from pathlib import Path

# To read outerHTML only serializes.
MARKUP = re.compile(
    r"innerHTML|outerHTML\s*=|insertAdjacentHTML|createContextualFragment|document\.write|dangerouslySetInnerHTML"
    r"|\beval\(|\bnew Function\b|setAttribute\(\s*['\"](?:style|on\w+)['\"]|\bstyle=['\"]"
)
ADDRESS = re.compile(r"https?://[^\s'\"`)]*")
DEBIAN_NODE = 18
IMPORT = re.compile(r"""^(?:import|export)\b[^;'"]*?from\s*['"](\.[^'"]+)['"]|^import\s*['"](\.[^'"]+)['"]""", re.MULTILINE)
NOT_FETCHED = {"http://www.w3.org/2000/svg"}  # names of namespaces


def problems_in(path: Path) -> list[str]:
    problems = []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if match := MARKUP.search(line):
            problems.append(f"{path}:{number}: '{match.group(0)}' makes markup or code of text; set text and properties instead")
        problems += [
            f"{path}:{number}: '{address}' is an address; the page opens offline"
            for address in ADDRESS.findall(line)
            if address not in NOT_FETCHED
        ]
    return problems


def imports_of(path: Path) -> list[Path]:
    """Of types too: what a source needs in order to be understood."""
    found = IMPORT.findall(path.read_text(encoding="utf-8"))
    return [(path.parent / (name or alone)).resolve() for name, alone in found]


def import_circles(paths: list[Path]) -> list[str]:
    """The first circle through each source from which one is found."""
    shown = {path.resolve(): path for path in paths}
    imports = {resolved: [other for other in imports_of(path) if other in shown] for resolved, path in shown.items()}
    done: set[Path] = set()
    problems = []

    def walk(source: Path, way: list[Path]) -> None:
        if source in way:
            circle = [*way[way.index(source) :], source]
            problems.append(f"{shown[source]}: imports itself through " + ", ".join(str(shown[step]) for step in circle[1:-1]))
        elif source not in done:
            for other in imports[source]:
                walk(other, [*way, source])
            done.add(source)

    for source in imports:
        walk(source, [])
    return problems


def too_new(lock: Path) -> list[str]:
    """Packages of the lock file that ask for a later Node.js. All say ">=" and a version."""
    problems = []
    for name, package in json.loads(lock.read_text(encoding="utf-8"))["packages"].items():
        asked = package.get("engines", {}).get("node", ">=0")
        if int(re.search(r"\d+", asked).group(0)) > DEBIAN_NODE:
            version = package.get("version", "")
            problems.append(f"{lock}: {name} {version} asks for Node.js {asked}; Debian 12 has {DEBIAN_NODE}")
    return problems


def main() -> int:
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else Path("web/src")
    paths = sorted(path for path in folder.rglob("*") if path.suffix in {".ts", ".tsx", ".css"})
    if not paths:
        print(f"{folder} holds no source of the page", file=sys.stderr)
        return 1
    problems = [problem for path in paths for problem in problems_in(path)]
    problems += import_circles(paths)
    lock = folder.parent / "package-lock.json"
    if lock.exists():
        problems += too_new(lock)
    for problem in problems:
        print(problem, file=sys.stderr)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
