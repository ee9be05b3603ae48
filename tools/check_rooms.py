#!/usr/bin/env python3
"""Fails where a file of src is not where a reader would look for it.

Three rules:
- A folder with a `list.inc`, or with a list in a lower layer (LISTS), holds the rows of that list, a .cc each, and files
  named `shared_*`. Where the rows are in folders one level down, the layer's interface may be beside the list. A row's
  file contains the row's name as a string: the name that users type is that of the file.
- A folder holds at most 45 files.
- Names tell files apart: no base name is in a folder and again in a folder below it, and a name that says nothing
  (VAGUE) is there once at most.

    tools/check_rooms.py [SOURCE_FOLDER]
"""

import re
import sys
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
MAX_FILES = 45
MAX_FILES_OF = {"analyses/reports": 60}
LISTS = {"dispatch/strategies": "config/strategies.inc"}  # the configuration checks the names
VAGUE = {"names", "told", "misc", "util", "utils", "helpers", "common", "texts", "words"}
ROW = re.compile(r"^\s*SONDE_\w+\((\w+)", re.MULTILINE)
SOURCES = {".cc", ".h", ".inc"}


def sources_in(folder: Path) -> list[Path]:
    return sorted(p for p in folder.iterdir() if p.suffix in SOURCES)


def list_of(folder: Path, root: Path) -> Path:
    own = folder / "list.inc"
    return own if own.exists() else root / LISTS.get(str(folder.relative_to(root)), own)


def rows_of(listed: Path) -> list[str]:
    return ROW.findall(listed.read_text(encoding="utf-8"))


def files_of_row(folder: Path, row: str) -> list[Path]:
    return [folder / f"{row}.cc", *folder.glob(f"*/{row}.cc")]


def row_problems(folder: Path, listed: Path, row: str) -> list[str]:
    """What is wrong with one line of a list."""
    files = [path for path in files_of_row(folder, row) if path.exists()]
    if not files:
        return [] if (folder / row).is_dir() else [f"{listed}: row {row} has no {row}.cc"]
    if any(f'"{row}"' in path.read_text(encoding="utf-8") for path in files):
        return []
    return [f'{files[0]}: its row is not named "{row}"; the row has the name of its file']


def list_problems(folder: Path, root: Path) -> list[str]:
    """What is wrong in a folder with a list."""
    listed = list_of(folder, root)
    rows = rows_of(listed)
    own = {p.stem for p in folder.glob("*.cc")}
    problems = [problem for row in rows for problem in row_problems(folder, listed, row)]
    if all(row in own for row in rows):
        problems += [
            f"{path}: not a row of {listed}; add its line there, name it shared_{path.name}, or move it out of this folder"
            for path in sources_in(folder)
            if path.name != "list.inc" and path.stem not in rows and not path.name.startswith("shared_")
        ]
    return problems


def size_problems(folder: Path, root: Path) -> list[str]:
    limit = MAX_FILES_OF.get(str(folder.relative_to(root)), MAX_FILES)
    count = sum(1 for p in folder.iterdir() if p.is_file())
    return [f"{folder}: {count} files; at most {limit}. Move some into a folder of their own"] if count > limit else []


def is_row(path: Path, root: Path) -> bool:
    listed = list_of(path.parent, root)
    return listed.exists() and path.stem in rows_of(listed)


def name_problems(root: Path) -> list[str]:
    """Files that their names do not tell apart. `store.h` beside `store/` is the interface of that folder."""
    places = defaultdict(set)
    for path in root.rglob("*"):
        if path.suffix in SOURCES and path.name != "list.inc" and not is_row(path, root):
            places[path.stem].add(path.parent)
    problems = []
    for stem, folders in places.items():
        if stem in VAGUE and len(folders) > 1:
            problems += [f"{folder}/{stem}: the name says nothing; name the content" for folder in sorted(folders)]
        problems += [
            f"{inner}/{stem}: the name is also in {outer}; give one of the two a name of its own"
            for outer in folders
            for inner in folders
            if outer in inner.parents and inner.name != stem
        ]
    return problems


def main() -> int:
    root = Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "src"
    folders = [root] + sorted(p for p in root.rglob("*") if p.is_dir() and p.name != "__pycache__")
    problems = name_problems(root)
    for folder in folders:
        problems += size_problems(folder, root)
        if list_of(folder, root).exists():
            problems += list_problems(folder, root)
    for problem in problems:
        print(problem, file=sys.stderr)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
