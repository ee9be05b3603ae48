#!/usr/bin/env python3
"""Tests how ./dev handles missing Debian packages, with stand-ins for dpkg-query, apt-get, apt-cache, sudo and id."""

import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

SCRIPT = Path(__file__).resolve().parents[3] / "tools/packages.sh"
TOOLS_OF_THE_SCRIPT = ["bash", "env", "sed", "tr", "dirname", "cmake"]
LIST = "g++ # build: compiler\nold|new  # build: has another name elsewhere\nclang-19 # check: sanitizers\n"


class Packages(unittest.TestCase):
    """A folder with a list of packages, the script, and nothing else in PATH but stand-ins that write to a log."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)
        self.bin = self.root / "bin"
        self.bin.mkdir()
        for tool in TOOLS_OF_THE_SCRIPT:
            (self.bin / tool).symlink_to(shutil.which(tool))
        shutil.copy(SCRIPT, self.root)
        (self.root / "packages.txt").write_text(LIST, encoding="utf-8")
        self.stand_in("id", "echo 0")
        self.stand_in("apt-get", f'echo "apt-get $*" >>{self.root}/log')
        self.stand_in("apt-cache", '[ "$2" != old ]')
        self.install()

    def stand_in(self, name: str, body: str):
        path = self.bin / name
        path.write_text(f"#!{shutil.which('bash')}\n{body}\n", encoding="utf-8")
        path.chmod(0o755)

    def install(self, *names: str):
        """From now on dpkg-query knows these, and no others."""
        known = " ".join(f'"{n}"' for n in names)
        self.stand_in("dpkg-query", f'for n in {known}; do [[ ${{!#}} != "$n" ]] || {{ echo -n installed; exit; }}; done; exit 1')

    def run_script(self, *groups: str) -> tuple[int, str, str]:
        """Exit status, what was said, and what apt-get was asked."""
        run = subprocess.run(
            [self.bin / "bash", self.root / "packages.sh", *groups],
            env={"PATH": str(self.bin)}, capture_output=True, text=True, check=False,
        )  # fmt: skip
        log = self.root / "log"
        return run.returncode, run.stdout + run.stderr, log.read_text(encoding="utf-8") if log.exists() else ""

    def test_nothing_missing_asks_apt_nothing(self):
        self.install("g++", "new")
        self.assertEqual(self.run_script("build"), (0, "", ""))

    def test_installs_what_is_missing_of_the_group_under_the_name_that_exists(self):
        self.install("g++")
        status, text, asked = self.run_script("build")
        self.assertEqual((status, text), (0, "Installing Debian packages: old\n"))
        self.assertIn("apt-get update -q\n", asked)
        self.assertIn("apt-get install -y -q --no-install-recommends new\n", asked)
        self.assertNotIn("clang-19", asked)

    def test_several_groups(self):
        _, text, _ = self.run_script("build", "check")
        self.assertEqual(text, "Installing Debian packages: g++ old clang-19\n")

    def write_list(self, text: str):
        (self.root / "packages.txt").write_text(text, encoding="utf-8")

    def test_a_command_that_is_there_is_enough(self):
        self.write_list("npm|command:npm # build: page\n")
        status, text, asked = self.run_script("build")
        self.assertEqual((status, text), (0, "Installing Debian packages: npm\n"))
        self.assertIn("apt-get install -y -q --no-install-recommends npm\n", asked)
        (self.root / "log").unlink()
        self.stand_in("npm", "exit 1")
        self.assertEqual(self.run_script("build"), (0, "", ""))

    def test_the_package_of_a_command_is_enough(self):
        self.write_list("npm|command:npm # build: page\n")
        self.install("npm")
        self.assertEqual(self.run_script("build"), (0, "", ""))

    def test_a_command_is_never_asked_of_apt(self):
        self.write_list("old|command:old # build: gone from the archive\n")
        _, _, asked = self.run_script("build")
        self.assertIn("apt-get install -y -q --no-install-recommends old\n", asked)
        self.assertNotIn("command:", asked)

    def test_every_line_of_the_list_is_read(self):
        text = (SCRIPT.parent / "packages.txt").read_text(encoding="utf-8")
        self.write_list(text)
        names = [line.split()[0].split("|")[0] for line in text.splitlines() if line and not line.startswith("#")]
        _, said, _ = self.run_script("build", "check", "lint", "package", "package-arm64")
        self.assertEqual(said, f"Installing Debian packages: {' '.join(names)}\n")

    def test_uses_sudo_where_not_root(self):
        self.stand_in("id", "echo 1000")
        self.stand_in("sudo", f'echo -n "sudo " >>{self.root}/log; "$@"')
        status, _, asked = self.run_script("check")
        self.assertEqual(status, 0)
        self.assertIn("sudo apt-get update", asked)

    def test_without_sudo_says_what_root_should_run(self):
        self.stand_in("id", "echo 1000")
        status, text, asked = self.run_script("check")
        self.assertEqual((status, asked), (1, ""))
        self.assertIn("there is no sudo here, so as root run: apt-get install clang-19", text)

    def test_without_apt_says_what_is_missing(self):
        (self.bin / "apt-get").unlink()
        status, text, _ = self.run_script("check")
        self.assertEqual(status, 1)
        self.assertIn("packages are missing (clang-19) and there is no apt-get", text)

    def test_another_system_is_left_to_cmake(self):
        (self.bin / "dpkg-query").unlink()
        self.assertEqual(self.run_script("build"), (0, "", ""))
        (self.bin / "cmake").unlink()
        self.assertIn("this is not a Debian system", self.run_script("build")[1])

    def test_replaces_other_boost_headers_only(self):
        self.stand_in("apt-get", f'echo "apt-get $*" >>{self.root}/log; [ "$1" != -s ] || echo "Remv libboost1.74-dev [1.74]"')
        status, text, _ = self.run_script("check")
        self.assertEqual(status, 0)
        self.assertIn("This replaces: libboost1.74-dev", text)
        self.stand_in("apt-get", '[ "$1" != -s ] || echo "Remv editor [1]"')
        status, text, _ = self.run_script("check")
        self.assertEqual(status, 1)
        self.assertIn("would remove editor", text)

    def test_a_failing_update_is_said(self):
        self.stand_in("apt-get", '[ "$1" != update ]')
        status, text, _ = self.run_script("check")
        self.assertEqual(status, 1)
        self.assertIn("apt-get update failed; is the network there?", text)


if __name__ == "__main__":
    unittest.main()
