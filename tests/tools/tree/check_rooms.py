#!/usr/bin/env python3
"""Checks that the room check passes this tree, and that it fails on each kind of misplaced file with the place."""

import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]


def check(*names: str, rows: tuple[str, ...] = (), texts: dict[str, str] | None = None) -> tuple[int, str]:
    """Exit status and complaints for a source folder with these files, each with its name as a string; base/pieces/list.inc
    lists `rows`. `texts`: files with other contents."""
    with tempfile.TemporaryDirectory() as folder:
        files = {name: f'"{Path(name).stem}"' for name in names}
        if rows:
            files["base/pieces/list.inc"] = "".join(f"SONDE_PIECE({row})\n" for row in rows)
        for name, text in (files | (texts or {})).items():
            path = Path(folder) / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        run = subprocess.run(
            [sys.executable, ROOT / "tools/check_rooms.py", folder], capture_output=True, text=True, check=False
        )
        return run.returncode, run.stderr.replace(f"{folder}/", "")


class CheckRooms(unittest.TestCase):
    def test_this_tree_keeps_its_rooms(self):
        run = subprocess.run([sys.executable, ROOT / "tools/check_rooms.py"], capture_output=True, check=False)
        self.assertEqual((run.returncode, run.stderr), (0, b""))

    def test_rows_and_shared_files_pass(self):
        self.assertEqual(check("base/pieces/one.cc", "base/pieces/shared_tools.h", rows=("one",)), (0, ""))

    def test_rows_in_folders_one_level_down_pass(self):
        self.assertEqual(check("base/pieces/room/one.cc", "base/pieces/piece.h", rows=("one",)), (0, ""))

    def test_a_row_without_a_file(self):
        status, text = check("base/pieces/one.cc", rows=("one", "two"))
        self.assertEqual((status, text), (1, "base/pieces/list.inc: row two has no two.cc\n"))

    def test_a_row_with_another_name_than_its_file(self):
        status, text = check(rows=("one",), texts={"base/pieces/one.cc": 'const Piece one_piece{"two"};'})
        self.assertEqual(status, 1)
        self.assertEqual(text, 'base/pieces/one.cc: its row is not named "one"; the row has the name of its file\n')

    def test_a_file_that_is_no_row(self):
        status, text = check("base/pieces/one.cc", "base/pieces/tools.h", rows=("one",))
        self.assertEqual(status, 1)
        self.assertIn("base/pieces/tools.h: not a row of base/pieces/list.inc; add its line there, name it shared_tools.h", text)

    def test_a_folder_with_too_many_files(self):
        status, text = check(*(f"base/f{n}.h" for n in range(46)))
        self.assertEqual(status, 1)
        self.assertIn("base: 46 files; at most 45.", text)

    def test_a_name_that_a_folder_below_has_too(self):
        status, text = check("base/file.h", "base/text/file.cc")
        self.assertEqual(status, 1)
        self.assertIn("base/text/file: the name is also in base;", text)

    def test_the_interface_of_a_folder_may_have_its_name(self):
        self.assertEqual(check("base/store.h", "base/store/store.cc"), (0, ""))

    def test_a_name_that_says_nothing(self):
        self.assertEqual(check("base/names.cc")[0], 0)
        status, text = check("base/names.cc", "trace/names.cc")
        self.assertEqual(status, 1)
        self.assertIn("trace/names: the name says nothing", text)


if __name__ == "__main__":
    unittest.main()
