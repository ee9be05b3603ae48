#!/usr/bin/env python3
"""Checks `sonde record`: profiles contain what programs do by construction, in plain SQL and in sonde's own tables."""

import csv
import io
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "shared"))
from _recorded import MARK, PATIENCE_S, PROGRAM, SONDE, START_END, TOOLS, Recorded, check, is_nested, record

MS = 1_000_000


def nvtx_sum(path):
    """name -> instances, as `sonde stats -r nvtx_sum` counts them."""
    text = subprocess.run([SONDE, "stats", "-q", "-r", "nvtx_sum", "-f", "csv", path], check=True, capture_output=True,
                          text=True).stdout
    return {row["Range"]: int(row["Instances"]) for row in csv.DictReader(io.StringIO(text))}


def nested_ranges(folder):
    path = folder / "nested.sqlite"
    run = record(path, PROGRAM, "nested", "1000")
    check(run.returncode == 0, run.stderr)
    recorded = Recorded(path)
    check(recorded.counts() == {"outer": 1000, "inner": 1000}, recorded.counts())
    check(is_nested(recorded.ranges()), "ranges cross")
    check(nvtx_sum(path) == {":outer": 1000, ":inner": 1000}, nvtx_sum(path))
    check("recorded 2000 ranges" in run.stderr and "warning" not in run.stderr, run.stderr)


def everything_of_nvtx(folder):
    path = folder / "everything.sqlite"
    run = record(path, PROGRAM, "everything", options=["-t", "nvtx"])
    recorded = Recorded(path)
    check(recorded.counts() == {"registered text": 1, "ünicöde 😀": 1}, (recorded.counts(), run.stderr))
    check(recorded.counts(MARK) == {"marked": 1, "plain mark": 1}, recorded.counts(MARK))
    ((category, color, payload, domain, thread),) = recorded.rows(
        "SELECT category, color, doubleValue, domainId, globalTid FROM NVTX_EVENTS WHERE text = 'registered text'")
    check((category, color, payload) == (7, 0xFF336699, 2.5), (category, color, payload))
    check(recorded.rows("SELECT text FROM NVTX_EVENTS WHERE eventType = 75 AND domainId = ?", domain) == [("library",)],
          "the domain's name")
    check(recorded.rows("SELECT value FROM ThreadNames JOIN StringIds ON id = nameId WHERE globalTid = ?", thread)
          == [("the main thread",)], "the thread's name")
    first, second = recorded.ranges(START_END)
    check((first[0], second[0]) == ("first", "second") and first[1] < second[1] < first[2] < second[2],
          "start/end ranges that cross")
    check(not recorded.rows("SELECT 1 FROM OSRT_API"), "OS calls that nobody asked for")


def nvtx_headers(folder):
    """A program that was built with NVTX's own headers."""
    program = TOOLS / "real_nvtx"
    if not program.exists():
        return "skipped: no CUDA toolkit with NVTX's headers was there when this tree was configured"
    path = folder / "headers.sqlite"
    run = record(path, program)
    recorded = Recorded(path)
    check(run.stdout == "done\n", run.stderr)
    check(recorded.counts() == {"main": 100, "outer": 100, "registered text": 1, "wide text": 1}, recorded.counts())
    marks = recorded.counts(MARK)
    with_payload = marks.pop("with payload", 0)  # where the headers are new enough
    check(marks == {"marked": 1}, marks)
    check(recorded.rows("SELECT jsonText FROM NVTX_EVENTS WHERE text = 'with payload'")
          == [('{"rows":3,"scale":0.5}',)] * with_payload, "a payload")
    check(recorded.rows("SELECT color, doubleValue, category FROM NVTX_EVENTS WHERE text = 'registered text'")
          == [(0xFF336699, 2.5, 7)], "attributes")
    ((begun_on, ended_on),) = recorded.rows("SELECT globalTid, endGlobalTid FROM NVTX_EVENTS WHERE text = 'across'")
    check(ended_on is not None and begun_on != ended_on, "a range that ends on another thread")
    return "ok"


def threads_and_children(folder):
    path = folder / "threads.sqlite"
    record(path, PROGRAM, "threads", "5000")
    recorded = Recorded(path)
    check(recorded.counts() == {"outer": 40000, "inner": 40000}, recorded.counts())
    check(len({thread for *_, thread in recorded.ranges()}) == 8, "threads")
    check(is_nested(recorded.ranges()), "ranges of threads cross")

    path = folder / "children.sqlite"
    record(path, PROGRAM, "children", "10")
    recorded = Recorded(path)
    check(recorded.counts() == {"outer": 40, "inner": 40, "before the fork": 3}, recorded.counts())
    check(len({thread >> 24 for *_, thread in recorded.ranges()}) == 4, "processes")
    check(len(recorded.calls("waitpid")) == 3, "waits for children")

    path = folder / "exec.sqlite"
    record(path, PROGRAM, "exec", "10", options=["-t", "nvtx"])
    recorded = Recorded(path)
    check(recorded.counts() == {"outer": 10, "inner": 10, "registered text": 1, "ünicöde 😀": 1},
          f"the second program's strings: {recorded.counts()}")


def blocking_calls(folder):
    path = folder / "blocks.sqlite"
    run = record(path, PROGRAM, "blocks")
    check(run.stdout == "open gave -1\n", run.stdout)
    recorded = Recorded(path)
    sleeps = recorded.calls("usleep")
    check(len(sleeps) == 2 and all(end - start >= 20 * MS and result == 0 for start, end, _, result in sleeps), sleeps)
    long_reads = [call for call in recorded.calls("read") if call[1] - call[0] >= 15 * MS]
    check(len(long_reads) == 1 and long_reads[0][3] == 1, recorded.calls("read"))
    check(len(recorded.calls("pthread_join")) <= 1, recorded.calls("pthread_join"))
    check(all(end - start >= 1000 for start, end in recorded.rows("SELECT start, end FROM OSRT_API")), "the threshold")
    ((shortest,),) = recorded.rows("SELECT min(nestingLevel) FROM OSRT_API")
    check(shortest == 0, "nesting")

    path = folder / "threshold.sqlite"
    record(path, PROGRAM, "blocks", options=["--osrt-threshold", str(15 * MS)])
    check({end - start >= 15 * MS for start, end in Recorded(path).rows("SELECT start, end FROM OSRT_API")} == {True},
          "the threshold that was asked for")


def cpp_and_python(folder):
    path = folder / "cpp.sqlite"
    run = record(path, TOOLS / "cpp_program")
    recorded = Recorded(path)
    check((run.returncode, run.stdout) == (0, "expected\n"), (run.stdout, run.stderr))
    wanted = {f"step {index}": 100 for index in range(4)} | {"part": 400, "thrown through": 1}
    check(recorded.counts() == wanted, recorded.counts())
    check(is_nested(recorded.ranges()), "ranges cross")

    path = folder / "python.sqlite"
    script = Path(__file__).resolve().parents[1] / "programs/recorded/python_program.py"
    run = record(path, sys.executable, script, TOOLS / "libsmall_nvtx.so")
    recorded = Recorded(path)
    check((run.returncode, run.stdout) == (0, "done\n"), (run.stdout, run.stderr))
    check(recorded.counts() == {"step 0": 75, "step 1": 75, "größe": 150}, recorded.counts())
    check(any(end - start >= 20 * MS for name in ("clock_nanosleep", "select", "nanosleep")
              for start, end, *_ in recorded.calls(name)), "Python's sleep")


def killed(folder):
    """What a program recorded before it dies is there."""
    path = folder / "killed.sqlite"
    run = record(path, PROGRAM, "kill", "3000")
    check(run.returncode == 128 + signal.SIGKILL, run.returncode)
    check(Recorded(path).counts() == {"outer": 3000, "inner": 3000}, Recorded(path).counts())

    path = folder / "terminated.sqlite"
    recorder = subprocess.Popen([SONDE, "record", "-o", path, "--", PROGRAM, "waits", "20"], stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, text=True)
    check(recorder.stdout.readline() == "ready\n", "the program's output")
    recorder.send_signal(signal.SIGTERM)  # goes on to the program
    _, errors = recorder.communicate(timeout=PATIENCE_S)
    check(recorder.returncode == 128 + signal.SIGTERM, (recorder.returncode, errors))
    recorded = Recorded(path)
    check(recorded.counts() == {"outer": 20, "inner": 20, "never ends": 1}, recorded.counts())
    check(recorded.rows("SELECT end FROM NVTX_EVENTS WHERE text = 'never ends'") == [(None,)], "an open range")
    check(any("1 range had not ended" in text for text in recorded.remarks()), recorded.remarks())


def child_of(process):
    """The one child of a process, once there is one."""
    end = time.monotonic() + PATIENCE_S
    while time.monotonic() < end:
        children = Path(f"/proc/{process}/task/{process}/children").read_text().split()
        if children:
            return int(children[0])
    sys.exit("FAILED: the recorder started nothing")


def recorder_killed(folder):
    """The program goes on as if nothing had been."""
    path = folder / "orphan.sqlite"
    out = folder / "orphan.txt"
    script = f"read word; {PROGRAM} nested 300000; echo ended $?"
    with open(out, "w", encoding="utf-8") as output:
        recorder = subprocess.Popen([SONDE, "record", "--self-test=false", "-o", path, "--", "sh", "-c", script], stdin=subprocess.PIPE,
                                    stdout=output, stderr=subprocess.DEVNULL, text=True)
        child_of(recorder.pid)
        recorder.kill()
        recorder.wait()
        recorder.stdin.write("go\n")
        recorder.stdin.close()
        end = time.monotonic() + PATIENCE_S
        while "ended" not in out.read_text() and time.monotonic() < end:
            time.sleep(0.01)
    check(out.read_text() == "ended 0\n", out.read_text())
    check(not path.exists(), "a profile without a recorder")


def by_time(folder):
    path = folder / "duration.sqlite"
    run = record(path, PROGRAM, "waits", "5", options=["-d", "0.5", "--kill=sigkill"])
    check(run.returncode == 128 + signal.SIGKILL, run.returncode)
    check(Recorded(path).counts().get("outer") == 5, Recorded(path).counts())

    path = folder / "left_behind.sqlite"
    script = f"(while kill -0 $$ 2>&-; do :; done; {PROGRAM} nested 9) & exit 6"
    run = record(path, "sh", "-c", script, options=["-d", "4", "-x", "false"])
    check(run.returncode == 6 and Recorded(path).counts() == {"outer": 9, "inner": 9}, Recorded(path).counts())

    path = folder / "later.sqlite"
    script = f"{PROGRAM} nested 7"
    run = record(path, "sh", "-c", script, options=["-y", "600"])
    check(run.returncode == 0 and not Recorded(path).counts(), "what came before the delay was over")
    check("warning: nothing was recorded" in run.stderr, run.stderr)


def ignored_ends(folder):
    """A parent that ignores SIGCHLD hands that on: the recorder still sees the program end."""
    path = folder / "ignored.sqlite"
    show = "import signal, sys; sys.exit(7 + (signal.getsignal(signal.SIGCHLD) == signal.SIG_IGN))"
    run = record(path, sys.executable, "-c", show, preexec_fn=lambda: signal.signal(signal.SIGCHLD, signal.SIG_IGN))
    check(run.returncode == 8, (run.returncode, run.stderr))


def said_to_nobody(folder):
    """A standard error that takes nothing costs neither the exit code nor the profile."""
    for place in ("/dev/full", "&-"):
        path = folder / f"nobody{len(place)}.sqlite"
        command = f'"$0" record -d 1e9 -o {path} -- {PROGRAM} status 7 2>{place}'
        run = subprocess.run(["sh", "-c", command, SONDE], capture_output=True, timeout=PATIENCE_S, check=False)
        check(run.returncode == 7 and path.exists(), (place, run.returncode))
        run = subprocess.run(["sh", "-c", f'"$0" record 2>{place}', SONDE], check=False, timeout=PATIENCE_S)
        check(run.returncode == 2, (place, run.returncode))
    path = folder / "gone.sqlite"
    recorder = subprocess.Popen([SONDE, "record", "-o", path, "--", "sh", "-c", "read word; exit 7"],
                                stdin=subprocess.PIPE, stderr=subprocess.PIPE)
    recorder.stderr.close()
    recorder.communicate(b"go\n", timeout=PATIENCE_S)
    check(recorder.returncode == 7 and path.exists(), ("SIGPIPE", recorder.returncode))


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for part in (nested_ranges, everything_of_nvtx, nvtx_headers, threads_and_children, blocking_calls, cpp_and_python,
                     killed, recorder_killed, by_time, ignored_ends,
                     said_to_nobody):
            print(f"{part.__name__}: {part(folder) or 'ok'}", flush=True)
        left = [path.name for path in folder.iterdir() if "recording" in path.name and "orphan" not in path.name]
        check(not left, f"files left behind: {left}")


if __name__ == "__main__":
    main()
