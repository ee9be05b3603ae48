"""Measures what recording costs the recorded program: `sonde record` against the same program alone."""

import os
import re
import statistics
import subprocess
import tempfile
import time
from pathlib import Path

PAIRS, CALLS, RATE_SECONDS = 2_000_000, 300_000, 3
PAIRS_A_SECOND = 500_000  # two events each
LAUNCH_BATCHES, KERNELS = 300, 1_000_000
RECORDS_EACH = 3  # the kernel, the runtime's call and the driver's in it


def printed(command, **settings):
    return float(subprocess.run(list(map(str, command)), check=True, capture_output=True, text=True, **settings).stdout)


def recorder(sonde, folder, trace):
    return [sonde, "record", "-t", trace, "-f", "-o", Path(folder) / "run.sqlite", "--"]


def costs(sonde, program, folder, runs, against):
    for mode, count, trace, calls, name, limit in (("pairs", PAIRS, "nvtx", 1, "push+pop", 150),
                                                   ("calls", CALLS, "osrt", 2, "OS call", 300)):
        command = [program, mode, count]
        pairs = [(printed([*recorder(sonde, folder, trace), *command]), printed(command)) for _ in range(runs)]
        recorded, alone = (statistics.median(side) for side in zip(*pairs))
        added = (recorded - alone) / calls
        print(f"  {name}: {added:.0f} ns more than alone ({recorded / calls:.0f} and {alone / calls:.0f}), {against(added, limit)}")


def memory(sonde, program, folder, against):
    """A million events a second, and the profile of them: the most memory that the recorder ever had."""
    words = [program, "rate", RATE_SECONDS * PAIRS_A_SECOND]
    alone = subprocess.run(list(map(str, words)), check=True, capture_output=True, text=True, input="\n").stdout
    run = subprocess.Popen(list(map(str, [*recorder(sonde, folder, "nvtx"), *words])), stdin=subprocess.PIPE,
                           stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    program_kb = int(run.stdout.readline()) - int(alone)
    run.stdin.close()
    errors = run.stderr.read()
    recorder_kb = os.wait4(run.pid, 0)[2].ru_maxrss  # or the program's, where that is more
    dropped = [line for line in errors.splitlines() if "dropped" in line]
    megabytes = (program_kb + recorder_kb) / 1024
    print(f"  a million events/s for {RATE_SECONDS} s: the program grew by {program_kb / 1024:.0f} MB, the recorder has "
          f"{recorder_kb / 1024:.0f} MB: {against(round(megabytes), 64)}; {dropped[0] if dropped else 'nothing dropped'}")


def cuda(sonde, folder, runs):
    """Through the stand-in for CUDA: what its CUPTI takes for making records is in the figure."""
    fakes = Path(sonde).parent / "tests/fake_cuda"
    program = Path(sonde).parent / "tests/tools/cuda_program"
    (cupti,) = (fakes / "13.0").iterdir()
    environment = dict(os.environ, LD_LIBRARY_PATH=str(fakes / "driver"), SONDE_CUPTI=str(cupti))
    words = [program, "cost", LAUNCH_BATCHES]
    pairs = [(printed([*recorder(sonde, folder, "cuda"), *words], env=environment), printed(words, env=environment))
             for _ in range(runs)]
    recorded, alone = (statistics.median(side) for side in zip(*pairs))
    print(f"  kernel launch, CUPTI a stand-in: {recorded - alone:.0f} ns more than alone ({recorded:.0f} and {alone:.0f}, "
          f"{recorded / alone:.1f} times)")
    began = time.monotonic()
    run = subprocess.run(list(map(str, [*recorder(sonde, folder, "cuda"), program, "many", KERNELS])), check=True,
                         capture_output=True, text=True, env=environment)
    seconds = time.monotonic() - began
    dropped = [line for line in run.stderr.splitlines() if "dropped" in line]
    print(f"  {KERNELS:,} kernels as fast as they are launched: {seconds:.1f} s until the profile is written, "
          f"{RECORDS_EACH * KERNELS / seconds:,.0f} of CUPTI's records a second; "
          f"{dropped[0] if dropped else 'nothing dropped'}")


def sampling(sonde, program, folder, runs, against):
    """CPU time of a program that only computes, by its own clock: sampled at 1 kHz with call chains, beside alone."""
    words = list(map(str, [program, "shares", 500]))
    sampled = list(map(str, [sonde, "record", "-t", "none", "-s", "process-tree", "-f", "-o", Path(folder) / "run.sqlite", "--"]))
    ratios, own_ms, samples = [], [], []
    for _ in range(runs):
        run = subprocess.run([*sampled, *words], check=True, capture_output=True, text=True)
        alone = subprocess.run(words, check=True, capture_output=True, text=True).stdout
        ratios.append(sum(map(float, run.stdout.split())) / sum(map(float, alone.split())))
        taken = re.search(r"recorded (\d+) CPU samples.* the recorder used (\d+) ms", run.stderr)
        samples.append(int(taken[1]) if taken else 0)
        own_ms.append(int(taken[2]) if taken else 0)
    ratio, own, count = map(statistics.median, (ratios, own_ms, samples))
    if count == 0:
        print("  sampling: not permitted here")
        return
    print(f"  sampled at 1 kHz: {ratio:.3f} times the CPU time of alone, {against(round(100 * (ratio - 1), 1), 5)} percent; the "
          f"recorder took {own:.0f} ms for {count:.0f} samples ({1000 * own / count:.0f} us each)")


def measure(sonde, runs, against):
    program = Path(sonde).parent / "tests/tools/cost_program"
    with tempfile.TemporaryDirectory(dir=os.environ.get("TMPDIR")) as folder:
        costs(sonde, program, folder, runs, against)
        memory(sonde, program, folder, against)
        cuda(sonde, folder, runs)
        sampling(sonde, program.with_name("sampled_program"), folder, runs, against)
