#!/usr/bin/env python3
"""Checks that the layer check passes this tree, and that it fails on each kind of violation with the place and the
allowed layers."""

import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
TABLE = "sonde_layer(base)\nsonde_layer(trace base)\nsonde_layer(cli base trace)\n"


def check(files: dict[str, str]) -> tuple[int, str]:
    """Exit status and complaints for a source folder that holds `files`."""
    with tempfile.TemporaryDirectory() as folder:
        for name, text in ({"CMakeLists.txt": TABLE} | files).items():
            path = Path(folder) / name
            path.parent.mkdir(exist_ok=True)
            path.write_text(text, encoding="utf-8")
        run = subprocess.run(
            [sys.executable, ROOT / "tools/check_layers.py", folder], capture_output=True, text=True, check=False
        )
        return run.returncode, run.stderr.replace(f"{folder}/", "")


class CheckLayers(unittest.TestCase):
    def test_this_tree_keeps_to_its_table(self):
        run = subprocess.run([sys.executable, ROOT / "tools/check_layers.py"], capture_output=True, check=False)
        self.assertEqual((run.returncode, run.stderr), (0, b""))

    def test_what_the_table_allows_passes(self):
        own_and_lower = '#include <vector>\n#include "trace/a.h"\n#include "base/b.h"\n'
        self.assertEqual(check({"trace/a.cc": own_and_lower}), (0, ""))

    def test_a_layer_above(self):
        status, text = check({"base/a.h": '#pragma once\n\n  #  include "trace/b.h"\n'})
        self.assertEqual(status, 1)
        self.assertEqual(text, 'base/a.h:3: base may not include "trace/b.h"; it may use: base\n')

    def test_a_layer_that_the_table_does_not_name(self):
        status, text = check({"trace/list.inc": '#include "cli/main.h"\n'})
        self.assertEqual(status, 1)
        self.assertIn("trace/list.inc:1:", text)
        self.assertIn("it may use: base, trace", text)

    def test_an_include_without_its_layer(self):
        self.assertEqual(check({"base/a.cc": '#include "a.h"\n'})[0], 1)

    def test_a_folder_without_a_line(self):
        status, text = check({"extra/a.cc": ""})
        self.assertEqual(status, 1)
        self.assertIn("the folder extra has no sonde_layer(...) line", text)

    def test_a_table_that_is_not_lowest_first(self):
        status, text = check({"CMakeLists.txt": "sonde_layer(trace base)\nsonde_layer(base)\n"})
        self.assertEqual(status, 1)
        self.assertIn("CMakeLists.txt:1: layer trace names base", text)


if __name__ == "__main__":
    unittest.main()
