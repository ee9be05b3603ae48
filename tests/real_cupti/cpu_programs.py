#!/usr/bin/env python3
"""Programs of the CPU write, print and end under `sonde record`, with its default options, as they do alone: those of a
review of the recorder, one row each. Where ./dev real-cupti has laid NVIDIA's libraries, they are on the loader's path."""

import concurrent.futures
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tools/shared"))
from _libraries import FOLDER, RemovesDevice, find_drivers
from _recorded import PATIENCE_S, SONDE, TOOLS, fix_addresses

PRELOADED = TOOLS / "libpreloaded_library.so"
HELLO_C = '#include <stdio.h>\nint main(void) { puts("compiled"); return 3; }\n'
MAKEFILE = "all: a b c\n\t@cat a b c\na b c:\n\t@echo $@ > $@\n"
JAVA = 'class Main { public static void main(String[] a) throws Exception {\n' \
       'Thread t = new Thread(() -> System.out.println("thread")); t.start(); t.join(); System.exit(4); } }\n'
SQL = "CREATE TABLE t(a); INSERT INTO t VALUES (1), (2), (3); SELECT sum(a), count(*) FROM t;"
PYTHON = "import json, threading; t = threading.Thread(target=print, args=('thread',)); t.start(); t.join(); " \
         "print(json.dumps({'a': sum(range(1000))})); raise SystemExit(5)"
NODE = "const t = setTimeout(() => { console.log('late'); process.exit(6); }, 10); console.log(t.hasRef())"
PERL = 'my $n = 0; $n += $_ for 1 .. 100; print "$n\\n"; exit 8'
PIPES = "seq 1 1000 | grep 7 | sort -r | head -3; (exit 9) | cat; echo ${PIPESTATUS[0]}; exit 10"

# Name, command, and options of the recording. A word that begins with @ is a program of the tests.
PROGRAMS = [
    ("python", [sys.executable, "-c", PYTHON]),
    ("node", ["node", "-e", NODE]),
    ("java", ["java", "-Xint", "Main.java"]),
    ("gcc", ["sh", "-c", "gcc hello.c -o $PWD/hello && ./hello"]),
    ("make -j2", ["make", "-j2"]),
    ("bash pipes", ["bash", "-c", PIPES]),
    ("static", ["@cpu_program_static", "work"]),
    ("setuid", ["setuid_id", "-u"]),
    ("sqlite3", ["sqlite3", ":memory:", SQL]),
    ("threaded server", ["@cpu_program_plain", "server"]),
    ("fork and exec pool", ["@cpu_program_plain", "pool"]),
    ("posix_spawn, vfork, clone3", ["@cpu_program_plain", "spawn"]),
    ("io_uring", ["@cpu_program_plain", "ring"]),
    ("LD_PRELOAD inside", ["env", f"LD_PRELOAD={PRELOADED}", "@cpu_program_plain", "work"]),
    ("LD_PRELOAD preset", ["@cpu_program_plain", "work"]),
    ("ASan, clean", ["@cpu_program_asan", "work"]),
    ("ASan, failing", ["@cpu_program_asan", "overflow"]),
    ("TSan", ["@cpu_program_tsan", "work"]),
    ("CPU samples", ["@cpu_program_plain", "server"], ["-s", "process-tree"]),
    ("CPU samples of a static program", ["@cpu_program_static", "work"], ["-s", "process-tree"]),
    ("killed", ["@cpu_program_plain", "kill"]),
    ("calls of libraries", ["@library_program", "shapes"], ["-t", "cuda,nvtx,osrt,cublas,cudnn,nccl"]),
    ("perl", ["perl", "-e", PERL]),
    ("curl", ["curl", "-sS", "file:///etc/hostname", "-o", "/dev/stdout"]),
]
NOBODY = 65534


def prepare(folder):
    (folder / "hello.c").write_text(HELLO_C, encoding="utf-8")
    (folder / "Makefile").write_text(MAKEFILE, encoding="utf-8")
    (folder / "Main.java").write_text(JAVA, encoding="utf-8")


def set_user(folder):
    """A program that runs as another user than who starts it; False: this is not root's."""
    program = folder / "setuid_id"
    shutil.copy("/usr/bin/id", program)
    folder.chmod(0o755)
    if os.geteuid() == 0:
        os.chown(program, NOBODY, NOBODY)
        program.chmod(0o4755)
    return os.geteuid() == 0


def program_of(word, folder):
    if word.startswith("@"):
        return str(TOOLS / word[1:])
    return str(folder / word) if word == "setuid_id" else word


def environment(name):
    libraries = [FOLDER / "12.4", *find_drivers().values()]
    variables = dict(os.environ, ASAN_OPTIONS="exitcode=23", TSAN_OPTIONS="exitcode=24")
    if FOLDER.exists():
        variables["LD_LIBRARY_PATH"] = ":".join(map(str, libraries))
    if name == "LD_PRELOAD preset":
        variables["LD_PRELOAD"] = str(PRELOADED)
    return variables


def without_addresses(text):
    """A sanitizer's report names the process and addresses that no two runs share."""
    return re.sub(r"==\d+==|0x[0-9a-f]+|[+]0x[0-9a-f]+|BuildId: \w+", "", text)


def outcome(name, command, folder):
    run = subprocess.run(command, env=environment(name), cwd=folder, capture_output=True, text=True, check=False,
                         stdin=subprocess.DEVNULL, timeout=PATIENCE_S)
    status = 128 - run.returncode if run.returncode < 0 else run.returncode
    errors = [line for line in run.stderr.splitlines() if not line.startswith("sonde: ")]
    return status, run.stdout, without_addresses("\n".join(errors))


def compare(row):
    """(name, "same", "skipped: why" or what differs)."""
    name, words, options = (*row, [])[:3]
    if not words[0].startswith("@") and words[0] != "setuid_id" and shutil.which(words[0]) is None:
        return name, f"skipped: there is no {words[0]} here"
    results = []
    for recorded in (False, True):
        with tempfile.TemporaryDirectory() as text:
            folder = Path(text) / "same"
            folder.mkdir()
            folder.parent.chmod(0o755)
            prepare(folder)
            if name == "setuid" and not set_user(folder):
                return name, "skipped: only root can make such a program of another user"
            command = [program_of(word, folder) for word in words]
            if recorded:
                command = [SONDE, "record", "-o", str(folder.parent / "run.sqlite"), *options, "--",
                           *command]
            results.append(outcome(name, command, folder))
            if recorded and not (folder.parent / "run.sqlite").exists():
                return name, f"no profile: {results[-1]}"
    alone, other = results
    if alone[1] == alone[2] == "":
        return name, f"prints nothing alone: {alone}"
    # The recorder is a program, too, into which a preset library is loaded.
    if name == "LD_PRELOAD preset":
        other = other[0], other[1], "\n".join(dict.fromkeys(other[2].splitlines()))
        alone = alone[0], alone[1], "\n".join(dict.fromkeys(alone[2].splitlines()))
    return name, "same" if alone == other else f"\n  alone    {str(alone)[:600]}\n  recorded {str(other)[:600]}"


def main():
    fix_addresses()
    print(f"with NVIDIA's libraries of {FOLDER.name}" if FOLDER.exists() else "without NVIDIA's libraries: ./dev real-cupti")
    with RemovesDevice(), concurrent.futures.ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        results = list(pool.map(compare, PROGRAMS))
    for name, result in results:
        print(f"{name}: {result}")
    sys.exit(1 if any(result != "same" and not result.startswith("skipped") for _, result in results) else 0)


if __name__ == "__main__":
    main()
