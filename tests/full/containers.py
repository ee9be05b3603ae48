#!/usr/bin/env python3
"""The Containerfiles of deploy/containers: built from a bare Debian 12 without network, small, without root, healthy."""

import json
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import _bare_root as bare
from _bare_root import get, skip, until

LARGEST_BYTES = 80_000_000
FILES = bare.SOURCES / "deploy" / "containers"
BASE = "localhost/debian:bookworm"


class Builder:
    """buildah with storage of its own; containers run by chroot, which needs no privilege beyond root's."""

    def __init__(self, folder: Path):
        self.storage = ["--storage-driver", "vfs", "--root", f"{folder}/images", "--runroot", f"{folder}/running"]

    def words(self, *words) -> list[str]:
        return ["buildah", *self.storage, *map(str, words)]

    def __call__(self, *words, status=0) -> str:
        done = subprocess.run(self.words(*words), text=True, capture_output=True)
        if done.returncode != status:
            raise AssertionError(f"{' '.join(map(str, words))} ended with {done.returncode}: {done.stdout}{done.stderr}")
        return done.stdout.strip()

    def make_base(self, root: Path):
        container = self("from", "scratch")
        self("add", "--quiet", container, root, "/")
        self("commit", "--quiet", container, BASE)
        self("rm", container)

    def build(self, context: Path, name: str):
        """In a network of its own, which leads nowhere."""
        words = ["build", "--format", "docker", "--isolation", "chroot", "--pull-never", "--build-arg", f"BASE={BASE}"]
        command = ["unshare", "--net", *self.words(*words, "-f", context / f"Containerfile.{name}", "-t", name, context)]
        done = subprocess.run(command, text=True, capture_output=True)
        if done.returncode != 0:
            raise AssertionError(f"buildah build of {name} failed: {done.stdout}{done.stderr}")

    def size(self, name: str) -> int:
        container = self("from", "--pull-never", name)
        folder = self("mount", container)
        used = int(subprocess.run(["du", "-sb", folder], text=True, capture_output=True, check=True).stdout.split()[0])
        self("umount", container)
        self("rm", container)
        return used

    def run_words(self, container: str, *words: str) -> list[str]:
        return self.words("run", "--isolation", "chroot", container, "--", *words)


def health_check(builder: Builder, name: str) -> list[str]:
    found = json.loads(builder("inspect", "--type", "image", name))["Docker"]["config"]["Healthcheck"]["Test"]
    assert found[0] == "CMD", found
    return found[1:]


def try_tools(builder: Builder):
    container = builder("from", "--pull-never", "tools")
    run = lambda *words: subprocess.run(  # noqa: E731
        builder.run_words(container, *words), text=True, capture_output=True, check=True
    ).stdout
    assert run("id", "-un").strip() == "sonde"
    assert "pageable_copy" in run("sonde", "why", f"/usr/{bare.EXAMPLES}/inference.sqlite")
    run(*health_check(builder, "tools"))
    builder("rm", container)


def try_service(builder: Builder):
    container = builder("from", "--pull-never", "serve")
    command = ["sonde", "serve", "--config", "/etc/sonde/config.yaml"]
    host = ["--simulated", f"/usr/{bare.EXAMPLES}/simulated_host.yaml"]
    service = subprocess.Popen(builder.run_words(container, *command, *host))
    try:
        until(lambda: get("http://127.0.0.1:8470/-/healthy")[0] == 200, "the service is healthy")
        subprocess.run(builder.run_words(container, *health_check(builder, "serve")), check=True)
        owners = subprocess.run(builder.run_words(container, "id", "-un"), text=True, capture_output=True, check=True)
        assert owners.stdout.strip() == "sonde"
    finally:
        service.terminate()
        service.wait(30)
    failed = subprocess.run(builder.run_words(container, *health_check(builder, "serve")), capture_output=True)
    assert failed.returncode != 0, "the health check fails once the service has stopped"
    builder("rm", container)


def main() -> int:
    bare.enter_own_mounts()
    package = bare.newest("sonde_*.deb")
    if not shutil.which("buildah"):
        skip("buildah is missing; tools/packages.sh package installs it")
    root = bare.bare_system("bookworm")
    with tempfile.TemporaryDirectory(dir=bare.SOURCES / "build") as folder:
        context = Path(folder) / "context"
        shutil.copytree(FILES, context)
        shutil.copy(package, context)
        builder = Builder(Path(folder))
        builder.make_base(root)
        for name, trial in (("tools", try_tools), ("serve", try_service)):
            builder.build(context, name)
            added = builder.size(name) - builder.size(BASE)
            assert added < LARGEST_BYTES, f"{name} adds {added / 1e6:.1f} MB to its base"
            trial(builder)
            print(f"{name}: {added / 1e6:.1f} MB above its base, passed", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
