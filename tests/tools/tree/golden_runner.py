#!/usr/bin/env python3
"""Checks that the golden runner distinguishes a pass from a failure, shows the difference, and writes expectations."""

import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

RUNNER = Path(__file__).resolve().parents[2] / "golden/run.py"


class GoldenRunner(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.case = Path(self.folder.name) / "case"
        self.case.mkdir()
        self.program = Path(self.folder.name) / "stand_in"
        self.program.write_text('#!/bin/sh\ncat "$1"\n', encoding="utf-8")
        self.program.chmod(0o755)

    def write(self, **files: str):
        for name, text in files.items():
            (self.case / name).write_text(text, encoding="utf-8")

    def run_case(self, *options: str) -> tuple[int, str]:
        command = [sys.executable, RUNNER, "--program", self.program, *options, self.case]
        run = subprocess.run(command, capture_output=True, text=True, check=False)
        return run.returncode, run.stdout + run.stderr

    def test_a_case_that_prints_what_is_expected(self):
        self.write(command="sonde input", input="a\n", stdout="a\n")
        self.assertEqual(self.run_case(), (0, "1 of 1 golden tests passed\n"))

    def test_other_output_fails_with_the_difference(self):
        self.write(command="sonde input", input="a\n", stdout="b\n")
        status, text = self.run_case()
        self.assertEqual(status, 1)
        self.assertIn("$ sonde input\n--- expected stdout\n+++ actual stdout\n@@ -1 +1 @@\n-b\n+a\n", text)

    def test_output_on_stderr_and_a_status_fail_unless_expected(self):
        self.write(command="sonde input; echo oops >&2; exit 3", input="", stdout="")
        self.assertEqual(self.run_case()[0], 1)
        self.write(stderr="oops\n", exit="3\n")
        self.assertEqual(self.run_case()[0], 0)

    def test_sql_becomes_a_database(self):
        self.write(command="sonde x.sqlite | head -c 6", stdout="SQLite")
        self.write(**{"x.sql": ".read schema\nINSERT INTO t VALUES (1);\n", "schema": "CREATE TABLE t (a);\n"})
        self.assertEqual(self.run_case()[0], 0)

    def test_the_folder_itself_stays_as_it_is(self):
        self.write(command="echo more >>input; sonde input", input="a\n", stdout="a\nmore\n")
        self.assertEqual(self.run_case()[0], 0)
        self.assertEqual((self.case / "input").read_text(encoding="utf-8"), "a\n")

    def test_update_writes_only_what_says_something(self):
        self.write(command="sonde input", input="a\n", stderr="gone\n", exit="1\n")
        self.assertEqual(self.run_case("--update")[0], 0)
        self.assertEqual(sorted(p.name for p in self.case.iterdir()), ["command", "input", "stdout"])
        self.assertEqual(self.run_case()[0], 0)


if __name__ == "__main__":
    unittest.main()
