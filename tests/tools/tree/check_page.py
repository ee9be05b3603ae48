#!/usr/bin/env python3
"""Checks that tools/check_page.py finds each kind of violation, and nothing in correct sources."""

import json
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

SCRIPT = Path(__file__).resolve().parents[3] / "tools/check_page.py"
REFUSED = [
    "element.innerHTML = name;", "element.outerHTML = name;", "element.insertAdjacentHTML('beforeend', name);",
    "document.write(name);", "eval(name);", "new Function(name);", "<p dangerouslySetInnerHTML={{ __html: name }} />",
    "range.createContextualFragment(name);", "element.setAttribute('style', text);", "element.setAttribute('onclick', text);",
    "<p style=\"color: red\" />", "fetch('https://example.org/x');", "const a = 'http://www.w3.org/2000/svg/else';",
]  # fmt: skip
TAKEN = [
    "element.textContent = name;", "element.style.width = '3px';", "<p style={{ width: 3 }} />", "retrieval(name);",
    "document.createElementNS('http://www.w3.org/2000/svg', 'g');", "element.setAttribute('data-style', 'x');",
]  # fmt: skip


class CheckPage(unittest.TestCase):
    def check(self, text: str, name: str = "view.tsx") -> tuple[int, str]:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "timeline" / name
            path.parent.mkdir()
            path.write_text(f"// a source\n{text}\n", encoding="utf-8")
            run = subprocess.run([sys.executable, SCRIPT, folder], capture_output=True, text=True, check=False)
            return run.returncode, run.stderr

    def test_refuses(self):
        for line in REFUSED:
            with self.subTest(line):
                status, text = self.check(line)
                self.assertEqual(status, 1)
                self.assertIn("view.tsx:2: '", text)

    def test_takes(self):
        for line in TAKEN:
            with self.subTest(line):
                self.assertEqual(self.check(line), (0, ""))

    def test_reads_styles_too(self):
        self.assertEqual(self.check("@import url(https://example.org/x.css);", "style.css")[0], 1)

    def test_circles_of_imports(self):
        for last, status in (("", 0), ("import type { A } from '../a.ts';", 1)):
            with self.subTest(last), tempfile.TemporaryDirectory() as folder:
                (Path(folder) / "inner").mkdir()
                (Path(folder) / "a.ts").write_text("import {\n  B,\n} from './inner/b.ts';\n", encoding="utf-8")
                (Path(folder) / "inner/b.ts").write_text("export * from './c.ts';\n", encoding="utf-8")
                (Path(folder) / "inner/c.ts").write_text(f"import './c.css';\n{last}\n", encoding="utf-8")
                run = subprocess.run([sys.executable, SCRIPT, folder], capture_output=True, text=True, check=False)
                self.assertEqual(run.returncode, status, run.stderr)
                self.assertEqual("a.ts: imports itself through " in run.stderr, status == 1)

    def test_tools_run_on_the_node_of_debian(self):
        for asked, status in ((">=18", 0), (">=16.20.0", 0), (">=20", 1)):
            with self.subTest(asked), tempfile.TemporaryDirectory() as folder:
                source = Path(folder) / "src/main.tsx"
                source.parent.mkdir()
                source.write_text("main();\n", encoding="utf-8")
                packages = {"": {}, "node_modules/tool": {"version": "1.2.3", "engines": {"node": asked}}}
                (Path(folder) / "package-lock.json").write_text(json.dumps({"packages": packages}), encoding="utf-8")
                run = subprocess.run([sys.executable, SCRIPT, source.parent], capture_output=True, text=True, check=False)
                self.assertEqual(run.returncode, status)
                self.assertEqual("tool 1.2.3 asks for Node.js >=20; Debian 12 has 18" in run.stderr, status == 1)

    def test_a_folder_without_sources_is_said(self):
        with tempfile.TemporaryDirectory() as folder:
            run = subprocess.run([sys.executable, SCRIPT, folder], capture_output=True, text=True, check=False)
        self.assertEqual(run.returncode, 1)
        self.assertIn("holds no source of the page", run.stderr)


if __name__ == "__main__":
    unittest.main()
