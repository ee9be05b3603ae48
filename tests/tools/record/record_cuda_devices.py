#!/usr/bin/env python3
"""What a profile says of the GPUs, however late it was begun and whoever told of them; and why there is none."""

import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "shared"))
from _cuda import LATEST, PROGRAM, VERSIONS, Cuda, accounts, environment, record
from _recorded import PATIENCE_S, SONDE, check

GPU = "SELECT name, smCount, totalMemory, memoryBandwidth FROM TARGET_INFO_GPU ORDER BY id"
TOLD = ("Stand-in GPU", 100, 64 << 30, 2_000_000_000_000)
ASKED = ("Stand-in GPU 0", 132, 80 << 30, 2 * 2_619_000 * 5120 // 8 * 1000)  # the driver's own answers
NO_GPU = "the driver sees no GPU (cuInit returned 100, CUDA_ERROR_NO_DEVICE); check nvidia-smi"


def run(options, *words, settings=(), **variables):
    """The finished process of `sonde record`, of words as they are."""
    command = [SONDE, "record", *map(str, options), "--", *map(str, words)]
    return subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE_S, check=False,
                          env=environment(*settings) | variables)


def late(folder):
    """Recorded when the GPUs and the context were there already."""
    for version in VERSIONS:
        path = folder / f"late{version}.sqlite"
        done = record(path, "profiler", 4, version=version, options=["-c", "cudaProfilerApi"])
        recorded = Cuda(path)
        check(recorded.rows(GPU)[0] == TOLD, (version, recorded.rows(GPU), done.stderr))
        check(recorded.rows("SELECT contextId, deviceId FROM TARGET_INFO_CUDA_CONTEXT_INFO") == [(1, 0)], version)
    path = folder / "delayed.sqlite"
    record(path, "paced", 1000, options=["-y", "1"])
    check(Cuda(path).rows(GPU)[0] == TOLD, Cuda(path).rows(GPU))


def by_the_driver(folder):
    """A CUPTI that tells of no GPU: the driver is asked."""
    for version in ("11.4", LATEST):
        path = folder / f"driver{version}.sqlite"
        done = record(path, "plain", 3, version=version, faults="no_devices")
        recorded = Cuda(path)
        check(recorded.rows(GPU)[0] == ASKED and len(recorded.rows(GPU)) == 2, (version, recorded.rows(GPU), done.stderr))
        check(recorded.kernels() == accounts(done)[0]["kernels"], (version, recorded.kernels()))


def no_gpu(folder):
    """The program's result is as without a recorder; each part says why it has nothing, and none blames CUPTI."""
    parts = {"cuda": ["-t", "cuda"], "counters": ["--self-test=false", "--metrics", "sm__cycles_active.avg"],
             "samples": ["-t", "none", "--gpu-metrics-devices=0"]}
    alone = subprocess.run([PROGRAM, "plain", "3"], capture_output=True, text=True, check=False,
                           env=environment() | {"SONDE_FAKE_CUINIT": "100"})
    check('"error": 100' in alone.stdout, alone.stdout)
    for name, options in parts.items():
        done = run(["-f", "-o", folder / f"{name}.sqlite", *options], PROGRAM, "plain", "3", SONDE_FAKE_CUINIT="100")
        check(NO_GPU in done.stderr and done.stderr.count("no GPU (") == 1, (name, done.stderr))
        check("cupti" not in done.stderr and "CUPTI" not in done.stderr, (name, done.stderr))
        check((done.stdout, done.returncode) == (alone.stdout, alone.returncode), (name, done.stdout, done.returncode))
    done = run(["-o", folder / "range.sqlite", "-t", "cuda", "-c", "cudaProfilerApi"], PROGRAM, "profiler", "3",
               SONDE_FAKE_CUINIT="802")
    check("could not be seen: CUDA was not recorded: the driver could not be initialized (cuInit returned 802, "
          "CUDA_ERROR_SYSTEM_NOT_READY); on hosts with NVSwitch" in done.stderr, done.stderr)


def unseen_range(folder):
    """Where CUPTI refuses, the program is not blamed for a call that it made."""
    for fault, why in (("subscribe_fails=39", "another profiler"), ("subscribe_fails=999", "CUPTI failed: cuptiSubscribe()")):
        done = record(folder / "unseen.sqlite", "profiler", 3, faults=fault, options=["-c", "cudaProfilerApi"])
        check("did not call cudaProfilerStart()" not in done.stderr and why in done.stderr, (fault, done.stderr))
        check(done.returncode == 1, done.returncode)


def before_cuda(folder):
    """A recording that is over before the program comes to CUDA says so, with both times; or counts from there."""
    later = f"sleep 1.5; exec {PROGRAM} plain 3"
    done = run(["-t", "cuda", "-o", folder / "early.sqlite", "-d", "0.3", "--kill=none"], "sh", "-c", later)
    check("the program had not initialized CUDA when the recording ended" in done.stderr, done.stderr)
    check("the program initialized CUDA 1." in done.stderr and "when the recording had ended (0." in done.stderr, done.stderr)
    done = run(["-t", "cuda", "-o", folder / "from_cuda.sqlite", "-d", "1", "--duration-from=cuda", "--kill=none"], "sh", "-c",
               later)
    check(Cuda(folder / "from_cuda.sqlite").kernels() == accounts(done)[0]["kernels"], done.stderr)
    check("when the recording ended" not in done.stderr, done.stderr)


def cheap_calls(folder):
    """Calls that take less than recording them are left out, by CUPTI where it can, unless all are asked for."""
    for version in VERSIONS:
        found = {}
        for name, options in (("few", []), ("all", ["--cuda-trace-all-apis=true"])):
            path = folder / f"{name}{version}.sqlite"
            done = record(path, "asks", 3, version=version, traces="cuda", options=options)
            recorded = Cuda(path)
            check(recorded.kernels() == accounts(done)[0]["kernels"], (version, recorded.kernels()))
            found[name] = recorded.api().get("cudaGetDevice_v3020", 0), accounts(done)[0]["api_calls"] - sum(
                count for call, count in recorded.api().items() if call.startswith("cuda"))
        check(found == {"few": (0, 3000), "all": (3000, 0)}, (version, found))


def main():
    with tempfile.TemporaryDirectory() as name:
        for part in (late, by_the_driver, no_gpu, unseen_range, before_cuda, cheap_calls):
            print(f"{part.__name__}: {part(Path(name)) or 'ok'}", flush=True)


if __name__ == "__main__":
    main()
