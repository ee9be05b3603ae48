#!/usr/bin/env python3
"""`sonde launch`, `start`, `stop` and the others; capture ranges; what a killed recorder left."""

import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "shared"))
from _recorded import PROGRAM, SONDE, START_END, Recorded, check, is_nested, record
from _session import Stepped, environment, sockets, sonde, wait_until

NVTX = ["-t", "nvtx"]


def names_of(path):
    """Ranges by name, but for the registered one in each."""
    return {name: count for name, count in Recorded(path).counts().items() if name != "told once"}


def rounds(folder):
    """Each start and stop gives a profile of its own, which knows what was told before it, and nothing of the others."""
    program = Stepped(folder, "launch", "--session-new=two", *NVTX)
    check("idle" in sonde(folder, "status"), "a session that is idle")
    program.step("5 before")
    sonde(folder, "start", "-o", "first")
    check("recording" in sonde(folder, "sessions", "list"), "a session that records")
    (listed,) = json.loads(sonde(folder, "sessions", "list", "--json"))
    check((listed["session"], listed["state"], listed["kind"]) == ("two", "recording", "launch"), listed)
    status = json.loads(sonde(folder, "status", "--json"))
    check(status | {"seconds": 0} == listed | {"seconds": 0}, status)
    check(Path(status["profile"]).name.startswith("first"), status)
    program.step("10 in the first")
    said = sonde(folder, "stop", "--session", "two")
    check("profile written to" in said and "recorded 20 ranges" in said and "warning" not in said, said)
    program.step("5 between")
    sonde(folder, "start", "--output=second.sqlite", "-t", "nvtx")
    program.step("20 in the second")
    sonde(folder, "stop")
    program.step("5 behind")
    code, errors = program.end()
    check(code == 5 and errors.count("profile written to") == 2, (code, errors))
    for name, count in (("first", 10), ("second", 20)):
        recorded = Recorded(folder / f"{name}.sqlite")
        check(names_of(recorded.path) == {f"in the {name}": count}, recorded.counts())
        check(recorded.counts()["told once"] == count, "a registered string that was told before")
        check(is_nested(recorded.ranges()), "ranges cross")
        ((domain,),) = recorded.rows("SELECT text FROM NVTX_EVENTS WHERE eventType = 75")
        check(domain == "library", domain)
        ((thread,),) = recorded.rows("SELECT value FROM ThreadNames JOIN StringIds ON id = nameId")
        check(thread == "the stepping thread", thread)
        ((process,),) = recorded.rows("SELECT name FROM PROCESSES")
        check(process == "stepped_program", process)
    check(not sockets(folder), sockets(folder))


def cancelled(folder):
    program = Stepped(folder, "launch", *NVTX)
    sonde(folder, "start", "-o", "cancelled")
    program.step("10 gone")
    check("discarded" in sonde(folder, "cancel"), "cancel")
    check("nothing is being recorded" in sonde(folder, "stop", code=1), "a stop without a start")
    sonde(folder, "start", "-o", "kept")
    sonde(folder, "start", "-o", "other", code=1)
    program.step("10 there")
    code, errors = program.end()
    check(code == 5 and names_of(folder / "kept.sqlite") == {"there": 10}, errors)
    check(not list(folder.glob("cancelled*")) and not (folder / "other.sqlite").exists(), "files of a cancelled recording")


def shut_down(folder):
    program = Stepped(folder, "launch", *NVTX)
    sonde(folder, "start", "-o", "down")
    program.step("10 gone")
    sonde(folder, "shutdown", "--kill=sigkill")
    code, _ = program.end()
    check(code == 128 + signal.SIGKILL and not list(folder.glob("down*")), code)
    program = Stepped(folder, "launch", *NVTX)
    sonde(folder, "shutdown", "--kill", "none")
    check("shut down" in sonde(folder, "start", "-o", "late", code=1), "a start behind the shutdown")
    check(program.end()[0] == 5, "a program that goes on")


def record_is_a_session(folder):
    program = Stepped(folder, "record", "-o", "whole", *NVTX)
    program.step("10 recorded")
    check("cancel --session" in sonde(folder, "cancel", code=1), "what sonde record records is not lost by a short word")
    sonde(folder, "stop")
    check(names_of(folder / "whole.sqlite") == {"recorded": 10}, "the profile is there while the program runs")
    program.step("10 more")
    code, errors = program.end()
    check(code == 5 and names_of(folder / "whole.sqlite") == {"recorded": 10}, errors)


def which_session(folder):
    check("sonde launch" in sonde(folder, "stop", code=1), "no session")
    one = Stepped(folder, "launch", "--session-new", "one")
    two = Stepped(folder, "launch", "--session-new", "two")
    check("one, two" in sonde(folder, "status", code=1), "two sessions")
    check("did you mean 'two'" in sonde(folder, "status", "--session", "twoo", code=1), "a mistyped name")
    taken = subprocess.run([SONDE, "launch", "--session-new", "two", "--", "true"], env=environment(folder),
                           capture_output=True, text=True, check=False)
    check(taken.returncode == 1 and "already" in taken.stderr, taken.stderr)
    two.process.kill()
    two.process.wait()
    two.process.stdin.close()
    listed = sonde(folder, "sessions", "list", "-p", "false")
    check(len(listed.splitlines()) == 1 and listed.startswith("one "), listed)
    check(sockets(folder) == ["one.sock"], "the socket of a dead recorder")
    check(one.end()[0] == 5, "the other one")
    os.chmod(folder / "sonde", 0o755)
    check("other users can access" in sonde(folder, "sessions", "list", code=1), "a folder that is open to others")


def rubbish(folder):
    """Whatever is sent to the socket, and whoever hangs up: the recording goes on."""
    program = Stepped(folder, "launch", "--session-new", "hard", *NVTX)
    sonde(folder, "start", "-o", "hard")
    for packet in (b"", b"\0", b"start\0", b"x" * 60000, b"stop", b"start\0output=x\0", b"cancel\0a=b\0", b"\xff" * 100):
        with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as guest:
            guest.connect(str(folder / "sonde/hard.sock"))
            guest.send(packet)
    silent = []
    for _ in range(8):
        guest = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        guest.connect(str(folder / "sonde/hard.sock"))
        silent.append(guest)
    program.step("10 kept")
    sonde(folder, "stop")
    check(names_of(folder / "hard.sqlite") == {"kept": 10}, "what was recorded")
    check(program.end()[0] == 5, "the program")


def nvtx_range(folder, capture, end, lines, *options):
    """What `sonde record -c nvtx` records of the lines; the profiles by name."""
    output = folder / "range"
    program = Stepped(folder, "record", *NVTX, "-o", output, "-c", "nvtx", "-p", capture, f"--capture-range-end={end}",
                      *options)
    for line in lines:
        program.step(line)
    code, errors = program.end()
    profiles = {}
    for path in sorted(folder.glob("range*.sqlite")):
        profiles[path.name] = names_of(path)
        path.unlink()
    return code, errors, profiles


def capture_ranges(folder):
    lines = ["2 a", "3 b", "1 step", "2 a", "1 step", "1 step", "2 b"]
    for end, wanted in (("stop", {"range.sqlite": {"step": 1}}), ("stop-shutdown", {"range.sqlite": {"step": 1}}),
                        ("none", {"range.sqlite": {"step": 3, "a": 2, "b": 2}}),
                        ("repeat:2", {"range.1.sqlite": {"step": 1}, "range.2.sqlite": {"step": 1}}),
                        ("repeat", {f"range.{i}.sqlite": {"step": 1} for i in (1, 2, 3)})):
        code, errors, profiles = nvtx_range(folder, "step", end, lines)
        check(code == 5 and profiles == wanted, (end, code, profiles, errors))
    # Three ranges one behind the other, faster than the recorder looks.
    code, errors, profiles = nvtx_range(folder, "step", "repeat-shutdown:2", ["3 step"], "--kill=sigkill")
    check(code == 128 + signal.SIGKILL or code == 5, code)
    check(profiles == {f"range.{i}.sqlite": {"step": 1} for i in (1, 2)}, (profiles, errors))
    for capture, found in (("told once@library", True), ("told once", False), ("told once@*", True),
                           ("step@library", False), ("none of them", False)):
        code, errors, profiles = nvtx_range(folder, capture, "stop", ["1 step"])
        check(bool(profiles) == found and code == 5, (capture, profiles, errors))
        check(("began, which -c nvtx waits for" in errors) == (not found), errors)
    code, errors, profiles = nvtx_range(folder, "told once@*", "stop", ["1 step"])
    check(profiles == {"range.sqlite": {}}, profiles)


def start_end_ranges(folder):
    path = folder / "started.sqlite"
    program = Stepped(folder, "record", *NVTX, "-o", path, "-c", "nvtx", "-p", "part", "--capture-range-end", "stop")
    program.step("m other")
    program.step("m part")
    program.step("m part")
    check(program.end()[0] == 5, "the program")
    recorded = Recorded(path)
    check(recorded.counts(START_END) == {"part": 1} and recorded.counts() == {"inner": 1}, recorded.counts())
    ((start, end),) = recorded.rows("SELECT start, end FROM NVTX_EVENTS WHERE text = 'part'")
    check(start is not None and end is not None, "the range that began the recording is whole")


def started_capture(folder):
    """A capture range of `sonde start`."""
    program = Stepped(folder, "launch", *NVTX)
    program.step("1 step")
    sonde(folder, "start", "-o", "later", "-c", "nvtx", "-p", "step", "--capture-range-end", "repeat:2")
    check("waiting" in sonde(folder, "status"), "a recording that waits")
    for line in ("1 other", "1 step", "1 step", "1 step"):
        program.step(line)
    check(program.end()[0] == 5, "the program")
    check(names_of(folder / "later.1.sqlite") == {"step": 1} == names_of(folder / "later.2.sqlite"), "two profiles")
    check(not (folder / "later.3.sqlite").exists(), "a third")


def calls_across_rounds(folder):
    """A call that waits while one round ends and the next begins is in neither."""
    program = Stepped(folder, "launch", "-t", "osrt")
    sonde(folder, "start", "-o", "one")
    program.step("s 5")  # and then it reads, until the second round's line comes
    sonde(folder, "stop")
    sonde(folder, "start", "-o", "two")
    program.step("s 5")
    sonde(folder, "stop")
    program.end()
    ((negative,),) = Recorded(folder / "two.sqlite").rows("SELECT count(*) FROM OSRT_API WHERE start < 0")
    check(negative == 0 and len(Recorded(folder / "two.sqlite").calls("usleep")) == 1, negative)
    check(len(Recorded(folder / "one.sqlite").calls("usleep")) == 1, "a call of the other round")


def recovered(folder):
    path = folder / "dead.sqlite"
    program = Stepped(folder, "record", *NVTX, "-o", path)
    (spool,) = folder.glob("dead.sqlite.recording-*")
    check("still being recorded" in sonde(folder, "record", "--recover", spool, code=1), "a recorder that lives")
    for _ in range(2):  # each in a piece of its own
        before = spool.stat().st_size
        program.step("100 kept")
        wait_until(lambda: spool.stat().st_size > before, "a look of the recorder")
    program.process.kill()
    program.process.wait()
    program.process.stdin.close()
    run = record(path, "true", options=NVTX)
    check(f"--recover {spool}" in run.stderr, run.stderr)
    path.unlink()
    content = spool.read_bytes()
    said = sonde(folder, "record", "--recover", spool)
    check("is unknown" in said and f"profile written to {path}" in said, said)
    check(names_of(path) == {"kept": 200}, names_of(path))
    check(f"removed {spool}" in said and not spool.exists(), said)
    check("--recover" not in record(path, "true", options=[*NVTX, "-f"]).stderr, "the file is told of again")
    spool.write_bytes(content)
    sonde(folder, "record", "--recover", spool, code=1)
    check(spool.exists(), "it goes only where the profile is there")
    sonde(folder, "record", "--recover", spool, "-o", folder / "again")
    check(names_of(folder / "again.sqlite") == {"kept": 200}, "another name")
    cut = folder / "cut.sqlite.recording-1"
    cut.write_bytes(content[:-8])
    check(f"{cut}, which may be deleted" in sonde(folder, "record", "--recover", cut) and cut.exists(), "half of a piece")
    check(0 < names_of(folder / "cut.sqlite")["kept"] < 200, "the pieces that are whole")
    for content in (b"", b"x" * 1000):
        cut.write_bytes(content)
        check("not a Sonde recording" in sonde(folder, "record", "--recover", cut, "-f", code=1), content)


def ended_by_time(folder):
    program = Stepped(folder, "launch", *NVTX)
    sonde(folder, "start", "-o", "timed", "-d", "0.05")
    wait_until((folder / "timed.sqlite").exists, "the profile of a recording by time")
    check("idle" in sonde(folder, "status"), "the recording is over")
    code, errors = program.end()
    check(code == 5 and "to the program" not in errors, ("the program goes on", code, errors))


def main():
    for part in (rounds, cancelled, shut_down, record_is_a_session, which_session, rubbish, capture_ranges,
                 start_end_ranges, started_capture, calls_across_rounds, recovered, ended_by_time):
        with tempfile.TemporaryDirectory() as name:
            part(Path(name))
            print(f"{part.__name__}: ok", flush=True)


if __name__ == "__main__":
    main()
