"""How long a newcomer waits for the build: measured in a fresh clone with an empty ccache, the Debian packages installed."""

import os
import shutil
import subprocess
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
CHANGED = "src/findings/rules/pageable_copy.cc"


def seconds(command, folder, **environment):
    """Wall time of a command that must succeed. Its output goes to a file beside the clone."""
    log = folder.parent / "output.txt"
    began = time.monotonic()
    with log.open("wb") as output:
        run = subprocess.run(
            command, cwd=folder, stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT,
            env=os.environ | environment, check=False,
        )  # fmt: skip
    taken = time.monotonic() - began
    if run.returncode != 0:
        raise SystemExit(f"{' '.join(command)} ended with {run.returncode}:\n{log.read_text(errors='replace')[-4000:]}")
    return taken


def minutes(taken):
    return f"{int(taken // 60)} min {taken % 60:.0f} s"


def change(clone):
    with (clone / CHANGED).open("a", encoding="utf-8") as file:
        # More than a comment: ccache knows the file with another comment.
        file.write(f"static_assert({time.monotonic_ns()} > 0);\n")


def measure(with_checks):
    """Prints each figure with its limit. `with_checks` adds the whole test run and the whole check, which take longer."""
    scratch = Path(tempfile.mkdtemp(prefix="sonde-build-"))
    clone = scratch / "clone"
    try:
        empty = {"CCACHE_DIR": str(scratch / "ccache"), "XDG_CACHE_HOME": str(scratch / "cache")}
        subprocess.run(["git", "clone", "-q", str(ROOT), str(clone)], check=True)
        print(f"  clone to the end of ./dev demo: {minutes(seconds(['./dev', 'demo'], clone, **empty))} (limit 6 min)")
        change(clone)
        taken = seconds(["cmake", "--build", "build/quick", "--target", "sonde"], clone, **empty)
        print(f"  one changed .cc to a linked program, quick: {taken:.1f} s (limit 15 s)", flush=True)
        taken = seconds(["./dev", "build"], clone, **empty)
        print(f"  ./dev build, with all tests: {minutes(taken)}", flush=True)
        change(clone)
        taken = seconds(["cmake", "--build", "build/release", "--target", "sonde"], clone, **empty)
        print(f"  one changed .cc to a linked program, release: {taken:.1f} s (limit 15 s)", flush=True)
        if with_checks:
            checks(clone, scratch)
    finally:
        shutil.rmtree(scratch)


def checks(clone, scratch):
    subprocess.run(["git", "checkout", "-q", "."], cwd=clone, check=True)
    for name, command, limit in (("./dev test", ["./dev", "test"], 30), (".ci/run", ["bash", ".ci/run"], 55)):
        empty = {"CCACHE_DIR": str(scratch / name / "ccache"), "XDG_CACHE_HOME": str(scratch / name / "cache")}
        shutil.rmtree(clone / "build", ignore_errors=True)
        print(f"  {name}, empty caches: {minutes(seconds(command, clone, CI='', **empty))} (limit {limit} min)", flush=True)
