#!/usr/bin/env python3
"""Programs under `sonde record` print, read and give back what they do alone."""

import subprocess
import sys
import tempfile
from pathlib import Path

from _recorded import PATIENCE_S, PROGRAM, SONDE, TOOLS, check

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
    ([TOOLS / "cpp_program"], ""),
    ([TOOLS / "asan_program", "threads", "100"], ""),
]


def outcome(command, text):
    run = subprocess.run(list(map(str, command)), input=text, capture_output=True, text=True, timeout=PATIENCE_S, check=False)
    status = 128 - run.returncode if run.returncode < 0 else run.returncode
    errors = [line for line in run.stderr.splitlines() if not line.startswith("sonde: ")]  # of the recording
    return status, run.stdout, errors


def main():
    different = []
    with tempfile.TemporaryDirectory() as folder:
        profile = Path(folder) / "run.sqlite"
        for words, text in PROGRAMS:
            alone = outcome(words, text)
            recorded = outcome([SONDE, "record", "-f", "-o", profile, "--osrt-threshold", "0", "-s", "process-tree", "--", *words], text)
            if alone != recorded:
                different.append(f"{words}:\n  alone    {str(alone)[:300]}\n  recorded {str(recorded)[:300]}")
        check(not different, "\n".join(different))
        missing = subprocess.run([SONDE, "record", "-f", "-o", profile, "/nonexistent"], capture_output=True, text=True,
                                 timeout=PATIENCE_S, check=False)
        check(missing.returncode == 1 and "No such file" in missing.stderr, missing.stderr)
    print(f"{len(PROGRAMS)} programs are the same recorded and alone")


if __name__ == "__main__":
    main()
