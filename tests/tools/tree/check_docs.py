#!/usr/bin/env python3
"""tools/check_docs.py finds broken links, missing files of the tree and refused words, and nothing in files as they should be."""

import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

SCRIPT = Path(__file__).resolve().parents[3] / "tools/check_docs.py"
PAGE = "# A page\n\n## What it is\n\n## `sonde top` (live)\n\n## What it is\n"
GOOD_LINES = [
    "[a](page.md)", "[a](page.md#what-it-is)", "[a](page.md#what-it-is-1)", "[a](page.md#sonde-top-live)", "[a](#first)",
    "[a](https://example.org/page#none)", "`[a](none.md)`", "![a](../image.png)", "see docs/page.md", "the key `mend`",
    "The next section begins here.", '<img src="../image.png">', "`src/layer/a.cc`", "`src/layer/a`", "in src/layer.",
    "`src/<layer>/<name>.cc`", "`src/*/NAME.cc`", "`build/src/none.cc`", "`src/layer/...`", "`src/<name>.../`",
]  # fmt: skip
BROKEN_LINES = [
    "[a](none.md)", "[a](page.md#none)", "[a](#none)", "![a](none.png)", "see docs/none.md", '<a href="none.md">a</a>',
    "`src/none.cc`", "`src/layer/none_*.cc`", "`src/none/<name>.cc`", "see tests/none", "| a | tools/none.py |",
    "As we were told.", "So many lines.", "It goes\non.".replace("\n", " "), "This is no page.",
]  # fmt: skip
GOOD_SOURCES = [
    '// told "told" in a comment\n', '/* "told" */ int a;\n', 'int a = \'"\'; // "told"\n', 'auto a = "told";\n',
    '#include "told so.h"\n', "int told = 1'000; // so many\n", 'auto a = "a plain text";\n',
]  # fmt: skip
BROKEN_SOURCES = [
    'auto a = "what it was told";\n', 'auto a = "a \\" and so many";\n', 'auto a = R"(as\nit goes on)";\n',
    "auto a = '\"'; auto b = \"is told it\";\n", 'auto a = "see docs/none.md";\n',
]  # fmt: skip


class CheckDocs(unittest.TestCase):
    def check(self, name: str, text: str) -> tuple[int, str]:
        with tempfile.TemporaryDirectory() as folder:
            root = Path(folder)
            (root / "docs").mkdir()
            (root / "src/layer").mkdir(parents=True)
            (root / "src/layer/a.cc").touch()
            (root / "docs/page.md").write_text(PAGE, encoding="utf-8")
            (root / "image.png").touch()
            (root / name).write_text(text, encoding="utf-8")
            subprocess.run(["git", "init", "-q"], cwd=root, check=True)
            run = subprocess.run([sys.executable, SCRIPT], cwd=root, capture_output=True, text=True, check=False)
            return run.returncode, run.stderr

    def test_docs_that_are_right(self):
        for line in GOOD_LINES:
            with self.subTest(line):
                self.assertEqual(self.check("docs/a.md", f"# First\n\n{line}\n"), (0, ""))

    def test_docs_that_are_wrong(self):
        for line in BROKEN_LINES:
            with self.subTest(line):
                status, text = self.check("docs/a.md", f"# First\n\n{line}\n")
                self.assertEqual(status, 1)
                self.assertIn("docs/a.md:3: ", text)

    def test_links_in_fenced_code_are_text(self):
        self.assertEqual(self.check("docs/a.md", "```\n[a](none.md)\n```\n"), (0, ""))

    def test_sources_that_are_right(self):
        for text in GOOD_SOURCES:
            with self.subTest(text):
                self.assertEqual(self.check("src/a.cc", text), (0, ""))

    def test_sources_that_are_wrong(self):
        for text in BROKEN_SOURCES:
            with self.subTest(text):
                status, output = self.check("src/a.cc", f"int one;\n{text}")
                self.assertEqual(status, 1)
                self.assertRegex(output, r"src/a\.cc:[23]: ")


if __name__ == "__main__":
    unittest.main()
