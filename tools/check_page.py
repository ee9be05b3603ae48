#!/usr/bin/env python3
"""Fails on sources of the page that build markup from text or name an address of the network, and on tools of the page
that Debian 12's Node.js cannot run.

Names in profiles are anybody's, and the page must open offline: texts become text nodes, and nothing is fetched. What the
content security policy of the page would stop in a browser is found here before it gets there.
"""

import json
import re
import sys
from pathlib import Path

MARKUP = re.compile(
    r"innerHTML|outerHTML|insertAdjacentHTML|createContextualFragment|document\.write|dangerouslySetInnerHTML"
    r"|\beval\(|\bnew Function\b|setAttribute\(\s*['\"](?:style|on\w+)['\"]|\bstyle=['\"]"
)
ADDRESS = re.compile(r"https?://[^\s'\"`)]*")
DEBIAN_NODE = 18
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
    lock = folder.parent / "package-lock.json"
    if lock.exists():
        problems += too_new(lock)
    for problem in problems:
        print(problem, file=sys.stderr)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
