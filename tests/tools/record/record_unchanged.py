#!/usr/bin/env python3
"""Checks that programs under `sonde record` print, read and return the same as without it."""

import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "shared"))
from _recorded import PATIENCE_S, PROGRAM, SONDE, TOOLS, check, fix_addresses

PYTHON = sys.executable
BUSY = "for i in 1 2 3 4 5; do echo $i; done | sort -r | tr '\\n' ' '"
THREADS = "import threading; t=[threading.Thread(target=print,args=(i,),kwargs={'end':''}) for i in range(1)]; " \
          "[x.start() for x in t]; [x.join() for x in t]"
POOL = "import multiprocessing as m; p=m.get_context('fork').Pool(3); print(p.map(abs, range(-5, 0))); p.close(); p.join()"
SPAWN = "import subprocess as s; print(s.run(['sh','-c','echo out; exit 3'],capture_output=True,text=True))"
CLOSED = "import os; os.closerange(3, 4096); print(os.listdir('/proc/self/fd') != [])"
SOCKETS = "import socket; a,b=socket.socketpair(); a.sendall(b'x'*1000); print(len(b.recv(1000, socket.MSG_WAITALL)))"
SIGNAL = "import signal,os,time; signal.signal(signal.SIGALRM, lambda *_: print('alarm')); " \
         "signal.setitimer(signal.ITIMER_REAL, 0.02); time.sleep(0.2); print('slept')"
ASYNC = "import asyncio; exec('async def f(n):\\n await asyncio.sleep(0.01)\\n return n'); " \
        "exec('async def g():\\n print(await asyncio.gather(*[f(i) for i in range(5)]))'); asyncio.run(g())"
LOCKS = "import threading,queue; q=queue.Queue(1); t=threading.Thread(target=lambda: [q.put(i) for i in range(100)]); " \
        "t.start(); print(sum(q.get() for _ in range(100))); t.join()"

# What is run, and what it gets on its standard input.
PROGRAMS = [
    (["true"], ""),
    (["false"], ""),
    (["sh", "-c", "exit 42"], ""),
    (["sh", "-c", "kill -9 $$"], ""),
    (["sh", "-c", "kill -SEGV $$"], ""),
    (["cat"], "line one\nline two\n"),
    (["sort", "-n"], "3\n1\n2\n"),
    (["wc", "-c"], "four"),
    (["head", "-c", "5"], "0123456789"),
    (["sh", "-c", "echo out; echo err >&2; exit 7"], ""),
    (["sh", "-c", BUSY], ""),
    (["sh", "-c", "read a; read b; echo $b $a"], "first\nsecond\n"),
    (["echo", "a", "[b,c]", "--", "--force-overwrite", "true", "-w", "true", "-o", "c"], ""),
    (["sh", "-c", "trap 'echo bye' EXIT; exit 3"], ""),
    (["sh", "-c", "sleep 0.05 & wait; echo waited"], ""),
    (["sh", "-c", "ulimit -n 8; cat /dev/null; echo few files"], ""),
    (["env", "-i", "/bin/sh", "-c", "echo clean"], ""),
    (["dd", "if=/dev/zero", "bs=1000", "count=3", "status=none"], ""),
    (["find", "/etc/hostname"], ""),
    (["test", "-t", "0"], ""),
    (["seq", "1", "20000"], ""),
    ([PYTHON, "-c", "import sys; print(sys.stdin.read().upper()); sys.exit(9)"], "text"),
    ([PYTHON, "-c", "raise ValueError('x')"], ""),
    ([PYTHON, "-c", THREADS], ""),
    ([PYTHON, "-c", POOL], ""),
    ([PYTHON, "-c", SPAWN], ""),
    ([PYTHON, "-c", CLOSED], ""),
    ([PYTHON, "-c", SOCKETS], ""),
    ([PYTHON, "-c", SIGNAL], ""),
    ([PYTHON, "-c", ASYNC], ""),
    ([PYTHON, "-c", LOCKS], ""),
    ([PYTHON, "-c", "import os; os.abort()"], ""),
    ([PROGRAM, "blocks"], ""),
    ([PROGRAM, "status", "77"], ""),
    ([PROGRAM, "cancel"], ""),
    ([PROGRAM, "errno"], ""),
    ([PROGRAM, "handler"], ""),
    ([PROGRAM, "vfork"], ""),
    ([PROGRAM, "threads", "200"], ""),
    ([PROGRAM, "children", "50"], ""),
    ([PROGRAM, "exec", "50"], ""),
    ([PROGRAM, "kill", "50"], ""),
    ([TOOLS / "edge_program", "fork_in_handler", "20"], ""),
    ([TOOLS / "edge_program", "no_keys", "5"], ""),
    ([TOOLS / "stepped_program"], "3 step\ns 2\n"),
    ([TOOLS / "cpp_program"], ""),
    ([TOOLS / "asan_program", "threads", "100"], ""),
]


def outcome(command, text):
    run = subprocess.run(list(map(str, command)), input=text, capture_output=True, text=True, timeout=PATIENCE_S, check=False)
    status = 128 - run.returncode if run.returncode < 0 else run.returncode
    errors = [line for line in run.stderr.splitlines() if not line.startswith("sonde: ")]  # of the recording
    return status, run.stdout, errors


def differences(how, expected, got):
    """`expected` and `got` give the outcome of a program and its input."""
    found = []
    for words, text in PROGRAMS:
        alone, other = expected(words, text), got(words, text)
        if alone != other:
            found.append(f"{words} {how}:\n  alone    {str(alone)[:300]}\n  recorded {str(other)[:300]}")
    return found


def recorded(folder):
    """As it is, and launched without a recording."""
    words = [SONDE, "record", "-f", "-o", folder / "run.sqlite", "--osrt-threshold", "0", "-s", "process-tree", "--"]
    launched = [SONDE, "launch", "--osrt-threshold", "0", "--"]
    return (differences("recorded", outcome, lambda program, text: outcome([*words, *program], text)) +
            differences("launched", outcome, lambda program, text: outcome([*launched, *program], text)))


def on_full_disk(folder):
    """The profile has no room, which costs a program that ended well its 0."""
    disk = folder / "disk"
    disk.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", disk], capture_output=True, check=False)
    if mounted.returncode != 0:
        print("on_full_disk: skipped: a file system of memory cannot be mounted here")
        return []

    def expected(words, text):
        status, *printed = outcome(words, text)
        return status or 1, *printed

    def got(words, text):
        for left in disk.iterdir():
            left.unlink()
        (disk / "filler").write_bytes(b"x" * 57344)
        return outcome([SONDE, "record", "-o", disk / "run.sqlite", "--osrt-threshold", "0", "--", *words], text)

    try:
        return differences("on a full disk", expected, got)
    finally:
        subprocess.run(["umount", disk], check=True)


def without_recorder(folder):
    """The recorder is killed before the program does most of what it does."""
    code = folder / "code"

    def outcome_by_shell(before, command, words, text):
        script = f'{before}"$@"; echo $? > {code}'
        code.unlink(missing_ok=True)
        _, *printed = outcome([*command, "sh", "-c", script, "sh", *words], text)
        return code.read_text(), *printed

    command = [SONDE, "record", "-f", "-o", folder / "killed.sqlite", "--osrt-threshold", "0", "--"]
    return differences("with a killed recorder", lambda words, text: outcome_by_shell("", [], words, text),
                       lambda words, text: outcome_by_shell("kill -9 $PPID; ", command, words, text))


def main():
    fix_addresses()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for part in (recorded, on_full_disk, without_recorder):
            different = part(folder)
            check(not different, "\n".join(different))
            print(f"{part.__name__}: {len(PROGRAMS)} programs", flush=True)
        missing = subprocess.run([SONDE, "record", "-f", "-o", folder / "run.sqlite", "/nonexistent"], capture_output=True,
                                 text=True, timeout=PATIENCE_S, check=False)
        check(missing.returncode == 1 and "No such file" in missing.stderr, missing.stderr)


if __name__ == "__main__":
    main()
