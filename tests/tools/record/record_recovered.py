#!/usr/bin/env python3
"""What a killed recorder left of CUDA and of CPU samples; CPU samples of several rounds."""

import os
import shutil
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "shared"))
from _cuda import ADD, Cuda, environment
from _cuda import PROGRAM as CUDA_PROGRAM
from _recorded import Recorded, check, record
from _session import Stepped, sonde, wait_until

SAMPLES = ["-t", "none", "-s", "process-tree"]


def recovered_copy(folder, spool):
    """The profile of what the recorder has written so far, of whose file a copy is not held."""
    copy = folder / "copy.sqlite.recording-1"
    shutil.copy(spool, copy)
    sonde(folder, "record", "--recover", copy, "-f")
    return folder / "copy.sqlite"


def cuda(folder):
    os.environ.update(environment())
    path = folder / "cuda.sqlite"
    program = Stepped(folder, "record", "--self-test=false", "-t", "cuda,nvtx", "--cuda-flush-interval", "50", "-o", path,
                      program=(CUDA_PROGRAM, "stepped"))
    program.step("7")
    (spool,) = folder.glob("cuda.sqlite.recording-*")
    wait_until(lambda: Cuda(recovered_copy(folder, spool)).kernels().get(ADD, [0])[0] == 7, "what CUPTI held")
    program.process.kill()
    program.process.wait()
    program.process.stdin.close()
    said = sonde(folder, "record", "--recover", spool)
    recorded = Cuda(path)
    counts = {name: count for name, (count, _) in recorded.kernels().items()}
    check(len(counts) == 2 and set(counts.values()) == {7}, counts)
    check(sum(count for count, *_ in recorded.copies().values()) == 14, recorded.copies())
    check(recorded.rows("SELECT count(*) FROM TARGET_INFO_CUDA_STREAM")[0][0] > 0, "streams")
    check("recorded 14 kernels" in said, said)


def samples_of(path):
    return Recorded(path).rows("SELECT start, value FROM COMPOSITE_EVENTS s LEFT JOIN SAMPLING_CALLCHAINS c ON c.id = s.id "
                               "AND stackDepth = 0 LEFT JOIN StringIds i ON i.id = symbol")


def samples_are_permitted(folder):
    run = record(folder / "permitted.sqlite", "true", options=SAMPLES)
    return "no CPU samples" not in run.stderr, run.stderr


def samples(folder):
    """Of the process, with the names of its functions."""
    path = folder / "samples.sqlite"
    program = Stepped(folder, "record", *SAMPLES, "-o", path)
    (spool,) = folder.glob("samples.sqlite.recording-*")
    program.step("20000000 some")
    wait_until(lambda: len(samples_of(recovered_copy(folder, spool))) > 5, "samples")
    program.process.kill()
    program.process.wait()
    program.process.stdin.close()
    sonde(folder, "record", "--recover", spool)
    names = [name for _, name in samples_of(path)]
    check("nvtx_push" in names or "nvtx_push_with" in names or "ranges" in names, names[:20])


def samples_of_rounds(folder):
    """Each profile has those of its own time, with names that were told before any of them began."""
    program = Stepped(folder, "launch", *SAMPLES)
    for name in ("first", "second"):
        sonde(folder, "start", "-o", name)
        program.step("20000000 some")
        sonde(folder, "stop")
        program.step("20000000 between")
        recorded = Recorded(folder / f"{name}.sqlite")
        ((duration,),) = recorded.rows("SELECT duration FROM ANALYSIS_DETAILS")
        found = samples_of(recorded.path)
        check(len(found) > 5 and all(0 <= start <= duration for start, _ in found), (name, len(found), duration))
        names = {symbol for _, symbol in found}
        check(names & {"nvtx_push", "nvtx_push_with", "ranges", "of"}, (name, names))
        ((process,),) = recorded.rows("SELECT name FROM PROCESSES WHERE name = 'stepped_program'")
    program.end()


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        permitted, why = samples_are_permitted(folder)
        for part in (cuda, samples, samples_of_rounds):
            if part is cuda or permitted:
                part(folder)
            print(f"{part.__name__}: {'ok' if part is cuda or permitted else 'skipped: ' + why}", flush=True)


if __name__ == "__main__":
    main()
