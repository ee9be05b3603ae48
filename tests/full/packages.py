#!/usr/bin/env python3
"""The archive and the Debian package run in bare Debian 11, 12 and 13 systems: the README's first example, why, report,
record and serve. An upgrade of the package under a running service loses no task. `packages.py SUITE...` tries these."""

import json
import re
import shlex
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

import _bare_root as bare
from _bare_root import Root, get, until, url_in

USER = "nobody:nogroup"


def check(condition, what: str):
    if not condition:
        raise AssertionError(what)


def first_example() -> list[str]:
    """The words after `sonde` of the README's first example that reads a profile."""
    text = (bare.SOURCES / "README.md").read_text()
    for line in re.findall(r"^\$ (?:\S*/)?sonde (.+)$", text, re.M):
        words = shlex.split(line, comments=True)
        if words[0] in ("why", "summary") and len(words) == 2:
            return words
    raise AssertionError("the README has no example of sonde why or sonde summary")


def try_commands(root: Root, prefix: str):
    sonde = f"{prefix}/bin/sonde"
    profile = f"{prefix}/{bare.EXAMPLES}/inference.sqlite"
    check("GPU" in root.run(sonde, first_example()[0], profile, user=USER), "the README's first example")
    check("pageable_copy" in root.run(sonde, "why", profile, user=USER), "sonde why")
    root.run(sonde, "report", profile, "-o", "/tmp/report.html", user=USER)
    check("<html" in (root.path / "tmp/report.html").read_text()[:2000].lower(), "sonde report")
    root.run(sonde, "record", "-t", "osrt", "-o", "/tmp/run.sqlite", "--", "/bin/sleep", "0.1", user=USER)
    check("sleep" in root.run(sonde, "stats", "-r", "osrt_sum", "/tmp/run.sqlite", user=USER), "stats of a recording")


def try_service(root: Root, prefix: str):
    host = f"{prefix}/{bare.EXAMPLES}/simulated_host.yaml"
    words = [f"{prefix}/bin/sonde", "serve", "--port", "0", "--simulated", host]
    service = root.start(*words, user=USER, environment={"STATE_DIRECTORY": "/tmp/state"})
    try:
        url = until(lambda: url_in(root.log()), "sonde serve prints its address")
        until(lambda: get(f"{url}/-/healthy")[0] == 200, "the service is healthy")
        check(json.loads(get(f"{url}/api/v1/health")[1]), "the health endpoint")
        service.send_signal(signal.SIGTERM)
        check(service.wait(30) == 0, f"the service stops: {root.log()}")
    except AssertionError as error:
        raise AssertionError(f"{error}\n{root.log()}") from error
    finally:
        service.kill()


def try_archive(suite: str):
    with Root(suite, "archive") as root, tempfile.TemporaryDirectory() as folder:
        archive = bare.newest("sonde-*-linux-x86_64.tar.zst")
        # A bare system has no zstd.
        subprocess.run(f"zstd -dcq {archive} | tar -x -C {folder}", shell=True, check=True)
        subprocess.run(["cp", "-r", *Path(folder).iterdir(), root.path / "tmp" / "unpacked"], check=True)
        (root.path / "tmp" / "prefix").mkdir(mode=0o777)
        (root.path / "tmp" / "prefix").chmod(0o777)
        root.run("/tmp/unpacked/install.sh", "--prefix", "/tmp/prefix", user=USER)
        try_commands(root, "/tmp/prefix")
        try_service(root, "/tmp/prefix")
        root.run("/tmp/unpacked/install.sh", "--prefix", "/tmp/prefix", user=USER)  # over itself
        root.run("/tmp/unpacked/install.sh", "--prefix", "/tmp/prefix", "--uninstall", user=USER)
        left = list((root.path / "tmp" / "prefix").rglob("*"))
        check(not left, f"install.sh --uninstall left {left}")


def install_package(root: Root, package: Path) -> str:
    (root.path / "tmp" / "sonde.deb").write_bytes(package.read_bytes())
    return root.run("dpkg", "--install", "/tmp/sonde.deb")


def try_package(suite: str):
    with Root(suite, "package") as root:
        install_package(root, bare.newest("sonde_*.deb"))
        try_commands(root, "/usr")
        try_service(root, "/usr")
        root.run("sonde", "serve", "--validate-config", "--config", "/etc/sonde/config.yaml")
        root.run("dpkg", "--purge", "sonde")
        left = [name for name in ("usr/bin/sonde", "usr/lib/sonde", "etc/sonde") if (root.path / name).exists()]
        check(not left, f"dpkg --purge left {left}")


def try_maintainer_scripts(suite: str):
    """With a stand-in for systemd: an upgrade restarts the service, unless its configuration is not valid."""
    with Root(suite, "scripts") as root:
        (root.path / "run/systemd/system").mkdir(parents=True)
        stand_in = root.path / "usr/bin/systemctl"
        stand_in.write_text('#!/bin/sh\necho "$*" >>/tmp/systemctl.log\n')
        stand_in.chmod(0o755)
        log = root.path / "tmp/systemctl.log"
        install_package(root, bare.newest("sonde_*.deb"))
        restart = "daemon-reload\n--quiet is-active sonde.service\nrestart sonde.service\n"
        check(log.read_text() == restart, f"an upgrade restarts the service: {log.read_text()}")
        (root.path / "etc/sonde/config.yaml").write_text("sonde: {no_such_key: 1}\n")
        log.unlink()
        said = install_package(root, bare.newest("sonde_*.deb"))
        check("restart sonde.service\n" not in log.read_text(), "a wrong configuration keeps the old service")
        check("the old service keeps running" in said, said)
        root.run("dpkg", "--remove", "sonde")
        check("disable --now sonde.service" in log.read_text(), "a removal stops the service")


def older_package(folder: Path) -> Path:
    """The same package with a lower version."""
    content = folder / "content"
    subprocess.run(["dpkg-deb", "-R", bare.newest("sonde_*.deb"), content], check=True)
    control = content / "DEBIAN" / "control"
    control.write_text(re.sub(r"^Version: .*$", "Version: 0.0.1", control.read_text(), flags=re.M))
    subprocess.run(["dpkg-deb", "-Zgzip", "-b", content, folder / "old.deb"], check=True, capture_output=True)
    return folder / "old.deb"


CONFIG = """sonde:
  server: {keys_file: /var/lib/sonde/keys.json}
  tasks: {allow_undeclared_commands: true}
gpu: {monitoring: {interval: 1}}
"""


HOST = """version: 1
gpus:
  - {name: Simulated A, memory: 80 GiB, compute_capability: 9.0}
  - {name: Simulated B, memory: 40 GiB, compute_capability: 8.0}
"""


def start_service(root: Root, before: int) -> tuple[subprocess.Popen, str]:
    """Its log begins at `before`."""
    words = ["sonde", "serve", "--port", "0", "--simulated", "/tmp/host.yaml", "--config"]
    service = root.start(*words, "/etc/sonde/config.yaml", environment={"STATE_DIRECTORY": "/var/lib/sonde"})
    return service, until(lambda: url_in(root.log()[before:]), "sonde serve prints its address")


def client(root: Root, url: str, key: str, *words: str) -> str:
    return root.run("env", f"SONDE_URL={url}", f"SONDE_API_KEY={key}", "sonde", *words)


def try_upgrade(suite: str):
    """Twelve tasks, of which some run and some wait at the upgrade: each ends once, with success."""
    with Root(suite, "upgrade") as root, tempfile.TemporaryDirectory() as folder:
        install_package(root, older_package(Path(folder)))
        (root.path / "etc/sonde/config.yaml").write_text(CONFIG)
        (root.path / "tmp/host.yaml").write_text(HOST)
        key = root.run("sonde", "keys", "add", "me", "--role", "submit", "--config", "/etc/sonde/config.yaml")
        key = re.search(r"sonde_[\w-]+", key)[0]
        service, url = start_service(root, 0)
        script = "echo started >>/tmp/runs.$SONDE_TASK_NAME; sleep 6; echo ended >>/tmp/runs.$SONDE_TASK_NAME"
        for number in range(12):
            task = script.replace("$SONDE_TASK_NAME", str(number))
            client(root, url, key, "submit", "--memory", "30GiB", "--", "/bin/sh", "-c", task)
        runs = root.path / "tmp"
        until(lambda: len(list(runs.glob("runs.*"))) >= 1, "a task runs")
        running = len(list(runs.glob("runs.*")))
        check(running < 12, "some tasks wait")

        install_package(root, bare.newest("sonde_*.deb"))  # the service runs on
        check(get(f"{url}/-/healthy")[0] == 200, "the service runs during the upgrade")
        before = len(root.log())
        service.send_signal(signal.SIGTERM)
        check(service.wait(60) == 0, f"the old service stops: {root.log()}")
        service, url = start_service(root, before)
        files = lambda: [file.read_text() for file in runs.glob("runs.*")]  # noqa: E731
        until(lambda: sum("ended" in text for text in files()) == 12, "all tasks end", 180)
        check(all(text == "started\nended\n" for text in files()), f"each task runs once: {files()}")
        until(lambda: client(root, url, key, "ps", "--json").count('"running"') == 0, "the service knows their ends")
        service.send_signal(signal.SIGTERM)
        check(service.wait(60) == 0, "the new service stops")


def main() -> int:
    bare.enter_own_mounts()
    bare.newest("sonde-*-linux-x86_64.tar.zst")
    bare.newest("sonde_*.deb")
    for suite in sys.argv[1:] or bare.SUITES:
        for trial in (try_archive, try_package, try_maintainer_scripts, try_upgrade):
            trial(suite)
            print(f"{suite}: {trial.__name__[4:]} passed", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
