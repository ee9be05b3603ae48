#!/usr/bin/env python3
"""Fails when an include breaks the table of layers.

The table is the `sonde_layer(NAME DEPENDENCY...)` and `sonde_injected_layer(...)` lines of CMakeLists.txt in the source folder, lowest layer first. A
file in NAME/ may include "NAME/..." and "DEPENDENCY/...", nothing else in quotes.

    tools/check_layers.py [SOURCE_FOLDER]
"""

import re
import sys
from pathlib import Path

LAYER = re.compile(r"^\s*sonde_(?:injected_)?layer\(\s*(\w+)([^)]*)\)", re.MULTILINE)
INCLUDE = re.compile(r'^\s*#\s*include\s*"([^"]+)"')
SOURCES = {".cc", ".h", ".inc"}


def read_table(cmake: Path) -> tuple[dict[str, set[str]], list[str]]:
    """The layers with what each may use, and what is wrong with the table itself."""
    table: dict[str, set[str]] = {}
    problems = []
    text = cmake.read_text(encoding="utf-8")
    for match in LAYER.finditer(text):
        name, uses = match.group(1), match.group(2).split()
        line = text.count("\n", 0, match.start(1)) + 1
        problems += [
            f"{cmake}:{line}: layer {name} names {use}, which is not a layer above this line (lowest comes first)"
            for use in uses
            if use not in table
        ]
        table[name] = {name, *uses}
    if not table:
        problems.append(f"{cmake}: no sonde_layer(...) line found")
    return table, problems


def check_file(path: Path, root: Path, table: dict[str, set[str]]) -> list[str]:
    layer = path.relative_to(root).parts[0]
    if layer not in table:
        return [f"{path}: the folder {layer} has no sonde_layer(...) line in {root / 'CMakeLists.txt'}"]
    allowed = ", ".join(sorted(table[layer]))
    problems = []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        include = INCLUDE.match(line)
        if include and include.group(1).split("/")[0] not in table[layer]:
            problems.append(f'{path}:{number}: {layer} may not include "{include.group(1)}"; it may use: {allowed}')
    return problems


def main() -> int:
    root = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent.parent / "src"
    table, problems = read_table(root / "CMakeLists.txt")
    for path in sorted(p for p in root.rglob("*") if p.suffix in SOURCES and p.parent != root):
        problems += check_file(path, root, table)
    for problem in problems:
        print(problem, file=sys.stderr)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
