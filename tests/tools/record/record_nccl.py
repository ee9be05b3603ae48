#!/usr/bin/env python3
"""`sonde record -t nccl` and --nccl-trace: what NCCL reports to its profiler plugin, in each version of the interface.
The program calls the plugin as NCCL does, and prints its own account of each operation and NCCL's log lines. Each must
agree with the profile, with `sonde stats`, and with the kernels; the program's output must be the same without Sonde."""

import csv
import io
import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "shared"))
from _cuda import TOOLS, Cuda, environment
from _recorded import PATIENCE_S, SONDE, check

PROGRAM = TOOLS / "nccl_program"
INTERFACES = (1, 2, 3, 4, 5, 6)
RANKS, HASH = 4, 0xC0FFEE0012345678
SIZES = (1, 1, 4, 4, 8, 8, 2, 4, 8, 2)  # of ncclDataType_t
LOG = re.compile(r"NCCL INFO (\w+): opCount \w+ .* count (\d+) datatype (\d+) op \d+ root (\d+) .*\[nranks=(\d+)\]")
OPERATIONS = """
SELECT f.value, o.bytes, a.value, p.value, o.channels, o.peer, o.sequence, o.graphCaptured, o.groupId, o.gpuEnd - o.gpuStart,
       o.gpuChannels, o.end IS NOT NULL, o.kind, o.launchStart IS NOT NULL, o.communicatorId
FROM SONDE_NCCL_OPERATION o LEFT JOIN StringIds f ON f.id = functionId LEFT JOIN StringIds a ON a.id = algorithmId
LEFT JOIN StringIds p ON p.id = protocolId ORDER BY o.start"""


def run(words, **variables):
    return subprocess.run(list(map(str, words)), capture_output=True, text=True, check=False, timeout=PATIENCE_S,
                          env=environment() | {k: str(v) for k, v in variables.items()})


def record(folder, name, interface, *options, rounds=1, real=(), **variables):
    """The profile, what the program said, and the recorder's own lines."""
    path = folder / f"{name}.sqlite"
    words = [PROGRAM, interface, rounds, *real]
    under = run([SONDE, "record", "-o", path, "--self-test=false", *options, "--", *words], **variables)
    alone = run(words, **variables)
    check((under.returncode, under.stdout) == (alone.returncode, alone.stdout), (interface, under, alone.stdout))
    check(alone.returncode == 0 and alone.stdout, alone)
    return Cuda(path), [json.loads(line) for line in under.stdout.splitlines()], under.stderr


def from_log(stderr):
    """(function, bytes, root or peer, ranks) of NCCL's log lines, by its own numbers of types."""
    found = []
    for function, count, datatype, root, ranks in LOG.findall(stderr):
        of_all = int(ranks) if function in ("AllGather", "ReduceScatter") else 1
        found.append((function, int(count) * SIZES[int(datatype)] * of_all, int(root), int(ranks)))
    return found


def table(path, report):
    done = run([SONDE, "stats", "-r", report, "-f", "csv", "-q", path])
    check(done.returncode == 0, done.stderr)
    return list(csv.DictReader(io.StringIO(done.stdout)))


def number(text):
    return None if text in ("", "-") else float(text)


def operations_agree(interface, recorded, told, stderr, translated=False):
    rows = recorded.rows(OPERATIONS)
    check(len(rows) == len(told) == 9, (interface, len(rows), len(told)))
    knows_ranks, knows_capture = interface >= 4, interface >= 5
    for row, truth in zip(rows, told):
        function, size, algorithm, protocol, channels, peer, sequence, captured, *_ = row
        p2p = function in ("Send", "Recv")
        of_all = function in ("AllGather", "ReduceScatter")  # its size needs the number of ranks
        check(function == truth["function"] and peer == truth["peer"], (interface, row, truth))
        check(size == (truth["bytes"] if knows_ranks or not of_all else None), (interface, row, truth))
        check(algorithm == (None if p2p else truth["algorithm"]), (interface, row, truth))
        check(protocol == (None if p2p else truth["protocol"]), (interface, row, truth))
        if not (translated and p2p and interface == 4):  # NCCL 2.28 leaves them uninitialized for version 4
            check(channels == (None if p2p and interface < 4 else truth["channels"]), (interface, row, truth))
        check(sequence == (None if p2p else truth["sequence"]), (interface, row, truth))
        check(captured == (truth["captured"] if knows_capture else 0), (interface, row, truth))
        check(row[11] == 1 and row[12] == int(p2p), ("ends, kinds", interface, row))
    log = from_log(stderr)
    check(len(log) == len(rows), (interface, log))
    for (function, size, peer, ranks), row in zip(log, rows):
        check((function, peer, RANKS) == (row[0], row[5], ranks), (interface, row, function, peer))
        check(size == row[1] or row[1] is None, (interface, row, size))
    groups = [row[8] for row in rows]
    check(groups[4] == groups[5] and groups[6] == groups[7] and len(set(groups)) == 7, groups)
    check([row[13] for row in rows] == ([1] * 8 + [0] if interface >= 5 else [0] * 9), "reported launches")


def communicator_agrees(interface, recorded):
    ((size, rank, nodes, used, bits, name),) = recorded.rows(
        "SELECT ranks, rank, nodes, interface, hash, value FROM SONDE_NCCL_COMMUNICATOR LEFT JOIN StringIds s ON s.id = nameId")
    known = interface >= 4
    expected = (RANKS if known else None, 2, 2 if known else None, interface)
    check((size, rank, nodes, used) == expected, (size, rank, nodes, used))
    check((bits % 2**64, name) == (HASH, "world"), (bits, name))


def kernels_agree(interface, path, told):
    """Of an operation that has a kernel for itself, that kernel's time; a graph's has none that it could be told from."""
    rows = table(path, "nccl_trace")
    how = "launch" if interface >= 5 else "order"
    check([row["Match"] for row in rows] == [how] * 8 + [""], [row["Match"] for row in rows])
    for row, truth in zip(rows, told):
        time = number(row["GPU Time (ns)"])
        check(time == (truth["kernel_ns"] if truth["kernel_ns"] >= 0 else None), (interface, row, truth))
        if time is None or row["Function"] in ("Send", "Recv") or number(row["Size (bytes)"]) is None:
            continue
        factor = {"AllReduce": 2 * 3 / 4, "AllGather": 3 / 4, "ReduceScatter": 3 / 4}.get(row["Function"], 1)
        algorithm = truth["bytes"] / time
        check(abs(number(row["Alg BW (GB/s)"]) - algorithm) < 0.051, row)
        bus = number(row["Bus BW (GB/s)"])
        if interface >= 4 or factor == 1:
            check(abs(bus - algorithm * factor) < 0.051, (bus, algorithm * factor))
        else:
            check(bus is None, row)
    check(rows[0]["Kernel"].startswith("ncclDevKernel_AllReduce_Sum_f32_RING_LL"), rows[0])


def each_interface(folder):
    for interface in INTERFACES:
        recorded, told, stderr = record(folder, f"v{interface}", interface, "-t", "cuda,nccl", RANK=2)
        operations_agree(interface, recorded, told, stderr)
        communicator_agrees(interface, recorded)
        kernels_agree(interface, folder / f"v{interface}.sqlite", told)
        check("9 NCCL operations" in stderr, stderr)


def summary_adds_up(folder):
    rows = table(folder / "v6.sqlite", "nccl_sum")
    check(sum(int(row["Instances"]) for row in rows) == 9, rows)
    (sum_,) = [row for row in rows if row["Size (bytes)"] == str(4 << 20)]
    check((sum_["Function"], sum_["Algorithm"], sum_["Protocol"], sum_["Ranks"], sum_["Communicator"]) ==
          ("AllReduce", "RING", "LL128", "4", f"{HASH:#x} (world)"), sum_)
    check(int(sum_["Total Time (ns)"]) == 300000, sum_)


def channels_of_kernels(folder):
    """--nccl-trace=gpu: the time of a kernel by its channels, with CUPTI or without."""
    for interface in (3, 4, 6):
        recorded, told, _ = record(folder, f"gpu{interface}", interface, "-t", "none", "--nccl-trace=gpu")
        for row, truth in zip(recorded.rows(OPERATIONS), told):
            check(row[10] == truth["channels"], (interface, row))
            # By the GPU's timer, the program's own account; version 3 has none.
            check(row[9] == 40000 + 100 * (truth["channels"] - 1) if interface >= 4 else row[9] >= 0, (interface, row))
    rows = table(folder / "gpu6.sqlite", "nccl_trace")
    check(number(rows[0]["GPU Time (ns)"]) == 40100 and rows[0]["Match"] == "", rows[0])


def loaded_twice(folder):
    """NCCL closes the plugin with the last communicator and loads it again with the next one."""
    recorded, told, _ = record(folder, "twice", 5, "-t", "cuda,nccl", rounds=3)
    rows = recorded.rows(OPERATIONS)
    check(len(rows) == len(told) == 27 and len({row[14] for row in rows}) == 3, len(rows))


def what_was_asked_for(folder):
    recorded, _, _ = record(folder, "none", 6, "-t", "cuda,nccl", "--nccl-trace=none")
    check(not recorded.rows(OPERATIONS), "--nccl-trace=none")
    recorded, _, _ = record(folder, "cuda", 6, "-t", "cuda")
    check(not recorded.rows(OPERATIONS), "-t cuda")
    refused = run([SONDE, "record", "--nccl-trace=cool", "--", "true"])
    check(refused.returncode == 2 and "did you mean 'coll'" in refused.stderr, refused.stderr)
    partly = run([SONDE, "record", "-o", folder / "partly.sqlite", "-t", "none", "--nccl-trace=coll,proxy-step", "--",
                  PROGRAM, 6])
    check("--nccl-trace proxy-step: not recorded yet" in partly.stderr, partly.stderr)


def a_plugin_of_the_users(folder):
    """It stays, and the recording says so."""
    path = folder / "own.sqlite"
    done = run([SONDE, "record", "-o", path, "-t", "cuda,nccl", "--self-test=false", "--", PROGRAM, 6],
               NCCL_PROFILER_PLUGIN="/nonexistent/libnccl-profiler-own.so")
    check(done.returncode == 0 and "NCCL_PROFILER_PLUGIN is set to /nonexistent" in done.stderr, done.stderr)
    check("libnccl-profiler-own.so: cannot open" in done.stderr, "NCCL got the user's own")
    check(not Cuda(path).rows(OPERATIONS), "operations")


def nothing_to_report(folder):
    path = folder / "empty.sqlite"
    done = run([SONDE, "record", "-o", path, "-t", "osrt,nccl", "--", "sleep", "0.01"])
    check(done.returncode == 0 and "NCCL reported nothing" in done.stderr, done.stderr)


def entry_of(library, interface):
    """Where NCCL's library has the function by which it takes a plugin of this version; None where it does not say."""
    symbols = subprocess.run(["readelf", "-Ws", library], capture_output=True, text=True, check=False).stdout
    found = re.search(rf"([0-9a-f]{{16}}) .* _Z18getNcclProfiler_v{interface}Pv$", symbols, re.M)
    return found and found.group(1)


def through_nccl_itself(folder):
    """NCCL 2.28's own code finds the plugin, and translates events of version 5 into those of the older versions."""
    found = sorted(Path("/usr/local").glob("cuda*/lib*/libnccl.so.2"))
    libraries = [library for library in found if b"NCCL version 2.28." in library.read_bytes()]
    entries = {version: entry_of(libraries[0], version) for version in range(1, 6)} if libraries else {}
    if not entries or not all(entries.values()):
        print("skipped: there is no libnccl.so.2 of NCCL 2.28 with symbols")
        return
    for version, address in entries.items():
        recorded, told, stderr = record(folder, f"real{version}", 5, "-t", "cuda,nccl", "--nccl-trace=all",
                                        real=(libraries[0], address), RANK=2)
        operations_agree(version, recorded, told, stderr, translated=True)
        communicators = recorded.rows("SELECT interface, ranks FROM SONDE_NCCL_COMMUNICATOR")
        check(communicators == [(version, RANKS if version >= 4 else None)], communicators)
        if version >= 4:
            check([row[9] for row in recorded.rows(OPERATIONS)] == [40000 + 100 * (o["channels"] - 1) for o in told], version)


def without_a_recorder():
    """A plugin that nothing asks for events of takes none, and does no harm."""
    library = Path(SONDE).parent / "libsonde_inject.so"
    for interface in INTERFACES:
        done = run([PROGRAM, interface], NCCL_PROFILER_PLUGIN=library)
        check(done.returncode == 0 and len(done.stdout.splitlines()) == 9, (interface, done))


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        each_interface(folder)
        summary_adds_up(folder)
        channels_of_kernels(folder)
        loaded_twice(folder)
        what_was_asked_for(folder)
        a_plugin_of_the_users(folder)
        nothing_to_report(folder)
        through_nccl_itself(folder)
        without_a_recorder()
    print("ok")


if __name__ == "__main__":
    main()
