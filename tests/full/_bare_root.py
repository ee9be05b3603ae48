"""Bare Debian systems, and the packages that are tried in them. Needs root: everything runs in a chroot."""

import os
import re
import shutil
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path

SOURCES = Path(__file__).resolve().parents[2]
PACKAGES = SOURCES / "build" / "packages"
KEPT = SOURCES / "build" / "roots"
EXAMPLES = "share/doc/sonde/examples"
SUITES = ("bullseye", "bookworm", "trixie")


def skip(why: str):
    print(f"skipped: {why}")
    sys.exit(77)


def newest(pattern: str) -> Path:
    found = sorted(PACKAGES.glob(pattern), key=lambda file: file.stat().st_mtime)
    return found[-1] if found else skip(f"{PACKAGES} has no {pattern}; ./dev package makes it")


def enter_own_mounts():
    """Runs the script again with mounts of its own, which end with it."""
    if os.geteuid() != 0:
        skip("a chroot needs root")
    if not shutil.which("debootstrap"):
        skip("debootstrap is missing; tools/packages.sh package installs it")
    if os.environ.get("SONDE_OWN_MOUNTS"):
        return
    probe = subprocess.run(["unshare", "--mount", "true"], capture_output=True, text=True)
    if probe.returncode != 0:
        skip(f"this system allows no mounts: {probe.stderr.strip()}")
    os.environ["SONDE_OWN_MOUNTS"] = "1"
    os.execvp("unshare", ["unshare", "--mount", "--propagation", "private", sys.executable, "-B", *sys.argv])


def mirror() -> str:
    """The Debian archive that apt reads on this machine."""
    if address := os.environ.get("SONDE_DEBIAN_MIRROR"):
        return address
    rows = subprocess.run(
        ["apt-get", "indextargets", "--format", "$(REPO_URI)", "Created-By: Packages"], capture_output=True, text=True
    )
    found = [row.rstrip("/") for row in rows.stdout.split() if row.rstrip("/").endswith("/debian")]
    return found[0] if found else skip("apt has no Debian archive here; name one in SONDE_DEBIAN_MIRROR")


def bare_system(suite: str) -> Path:
    """A bare system, kept for the next run."""
    root = KEPT / suite
    if (root / "made").exists():
        return root
    shutil.rmtree(root, ignore_errors=True)
    KEPT.mkdir(parents=True, exist_ok=True)
    made = subprocess.run(
        ["debootstrap", "--variant=minbase", suite, str(root), mirror()], capture_output=True, text=True
    )
    if made.returncode != 0:
        skip(f"debootstrap of {suite} failed: {made.stdout.strip().splitlines()[-1:]}")
    (root / "made").touch()
    return root


class Root:
    """A copy of a bare system, removed at the end with every process in it."""

    def __init__(self, suite: str, name: str):
        self.suite = suite
        self.path = SOURCES / "build" / f"root_{suite}_{name}_{os.getpid()}"

    def __enter__(self):
        subprocess.run(["cp", "-a", "--reflink=auto", bare_system(self.suite), self.path], check=True)
        subprocess.run(["mount", "-t", "proc", "proc", self.path / "proc"], check=True)
        subprocess.run(["mount", "-t", "tmpfs", "-o", "mode=1777", "tmpfs", self.path / "dev" / "shm"], check=True)
        return self

    def __exit__(self, *_):
        self.kill_processes()
        for mount in ("proc", "dev/shm"):
            subprocess.run(["umount", "--lazy", self.path / mount], check=True)
        shutil.rmtree(self.path, ignore_errors=True)

    def kill_processes(self):
        for process in Path("/proc").glob("[0-9]*"):
            try:
                if os.readlink(process / "root") == str(self.path):
                    os.kill(int(process.name), signal.SIGKILL)
            except OSError:
                continue

    def words(self, command: list[str], user: str) -> list[str]:
        return ["chroot", f"--userspec={user}", str(self.path), *command]

    def run(self, *command: str, user="root", status=0) -> str:
        """Standard output and error of a command in the root."""
        environment = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "HOME": "/tmp", "DEBIAN_FRONTEND": "noninteractive"}
        done = subprocess.run(
            self.words(list(command), user), env=environment, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
        )
        if done.returncode != status:
            raise AssertionError(f"{self.suite}: {' '.join(command)} ended with {done.returncode}: {done.stdout}")
        return done.stdout

    def start(self, *command: str, user="root", environment=None) -> subprocess.Popen:
        log = (self.path / "tmp" / "service.log").open("ab")
        variables = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "HOME": "/tmp", **(environment or {})}
        return subprocess.Popen(self.words(list(command), user), env=variables, stdout=log, stderr=log)

    def log(self) -> str:
        return (self.path / "tmp" / "service.log").read_text()


def until(question, what: str, seconds=30):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if found := question():
            return found
        time.sleep(0.1)
    raise AssertionError(f"{what}: not within {seconds} s")


def get(url: str) -> tuple[int, str]:
    """Status and body; 0 where no service answers."""
    try:
        with urllib.request.urlopen(url, timeout=5) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, ""
    except OSError:
        return 0, ""


def url_in(text: str) -> str | None:
    found = re.findall(r"url=(http://\S+)", text)
    return found[-1] if found else None
