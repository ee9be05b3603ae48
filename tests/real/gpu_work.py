#!/usr/bin/env python3
"""Findings of `sonde why` on GPU time outside of kernels, and on input, argued by raw rows of reports whose authors said
what was slow. The rows are those of another decoder, not Sonde's.

usage: SONDE_TEST_DATA=FOLDER [SONDE=PROGRAM] gpu_work.py [PART OF A FILE'S NAME...]

The decoder is tools/decode_nsys.py beside the folder.
"""

import gzip
import json
import pathlib
import sys
import tempfile
from collections import Counter

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "reference"))

import compare

UP, DOWN = 1, 2  # copyKind


def why(*paths):
    document = compare.why_as_recorded(*paths)
    return document["findings"]


def total(rows):
    return sum(row["end"] - row["start"] for row in rows)


def of_kind(report, kind, least=256 << 10):
    return [m for m in report.memcpy if m["kind"] == kind and m["bytes"] >= least]


def work_of(report):
    return sorted([*report.kernels, *report.memcpy, *report.memset], key=lambda row: row["start"])


def idle_before(report, wanted):
    """Time in which the GPU is idle until an operation for which `wanted` is true."""
    idle, busy_until = 0, None
    for row in work_of(report):
        if busy_until is not None and row["start"] > busy_until and wanted(row):
            idle += row["start"] - busy_until
        busy_until = row["end"] if busy_until is None else max(busy_until, row["end"])
    return idle


def order(report):
    """The sequence of large copies and kernels: U, K and D."""
    letters = {UP: "U", DOWN: "D"}
    rows = [(m["start"], letters[m["kind"]]) for m in of_kind(report, UP) + of_kind(report, DOWN)]
    rows += [(k["start"], "K") for k in report.kernels]
    return "".join(letter for _, letter in sorted(rows))


def offload(load, path, findings):
    """OpenMP: the arrays go to the GPU and back in each of 50 iterations; the author moved them out of the loop."""
    bad, good = load(path), load(path.with_name("omp_sc23__report4.nsys-rep"))
    yield "50 times up, up, kernel, down, down", order(bad) == 50 * "UUKDD"
    yield "all copies have one size", len({m["bytes"] for m in bad.memcpy}) == 1
    ups, downs = of_kind(bad, UP), of_kind(bad, DOWN)
    gaps = [u["start"] - d["end"] for d, u in zip(downs[1::2], ups[2::2])]
    yield "the host has less than 3 ms for 1 GB", max(gaps) < 3_000_000
    first = findings[0]
    yield "first", first["id"] == "copy_round_trip"
    span = [max(r["end"] for r in work_of(x)) - min(r["start"] for r in work_of(x)) for x in (bad, good)]
    judged = first["arguments"]["count"] / 50  # the others are warm-up
    yield "most iterations are judged", judged, (0.8, 1)
    yield "not less than the author gained", first["ceiling_ns"] / (span[0] - span[1]) / judged, (0.99, 1.04)
    yield "all copies", first["arguments"]["time_ns"] / total(ups + downs) / judged, (0.98, 1.02)
    yield "its sizes come back, so no overlap of directions", "serial_directions" not in [f["id"] for f in findings]


def kept_data(load, path, findings):
    """The same program with the arrays on the GPU."""
    yield "one trip", order(load(path)).count("UK") == 1
    yield "no loop of copies", not {f["id"] for f in findings} & {"copy_round_trip", "copy_round_trip_if"}


def serial(load, path, findings):
    """Vector addition with blocking copies; the author overlapped both directions with streams and pinned memory."""
    report = load(path)
    loop = order(report).lstrip("K")
    yield "100 times up, up, kernel, down", loop == 100 * "UUKD"
    ids = [f["id"] for f in findings]
    yield "named among the first two", bool({"serial_directions", "pageable_copy"} & set(ids[:2]))
    found = findings[ids.index("serial_directions")]
    begin = min(m["start"] for m in of_kind(report, UP))
    parts = [total(of_kind(report, UP)), total(of_kind(report, DOWN)), total([k for k in report.kernels if k["start"] > begin])]
    yield "no more than the sum less the longest", found["ceiling_ns"] <= sum(parts) - max(parts)


def pipelined(load, path, findings):
    """The same with streams: nothing of it is left."""
    report = load(path)
    downs = sorted((d["start"], d["end"]) for d in of_kind(report, DOWN))
    both = sum(any(start < u["end"] and u["start"] < end for start, end in downs) for u in of_kind(report, UP))
    yield "most copies up run beside one down", both > len(downs) / 2
    wrong = {"copy_round_trip", "copy_round_trip_if", "serial_directions"}
    yield "no loop of copies", not {f["id"] for f in findings} & wrong


def loading(load, path, findings):
    """Training that waits for its data: the GPU is idle until a batch is copied to it."""
    report = load(path)
    idle = idle_before(report, lambda row: row.get("kind") == UP and row["bytes"] >= 4096)
    first = next(f for f in findings if f["id"] == "gpu_idle_input")
    yield "idle until a batch comes", first["ceiling_ns"] / idle, (0.8, 1.001)
    yield "the words", "data loading" in first["text"] if "text" in first else True


def loading_first(load, path, findings):
    yield from loading(load, path, findings)
    yield "first", findings[0]["id"] == "gpu_idle_input"


def pipeline(load, path, findings):
    """NVIDIA DALI: a thread of its own copies the batches, and launches nothing."""
    report = load(path)
    calls = {call["corr"]: call for call in report.api}
    copying = Counter(calls[m["corr"]]["tid"] for m in of_kind(report, UP) if m["corr"] in calls)
    launching = {calls[k["corr"]]["tid"] for k in report.kernels if k["corr"] in calls}
    yield "who copies batches launches nothing", not set(copying) & launching
    yield "so they are not constants", "repeated_copy" not in [f["id"] for f in findings]


def data_loader(load, path, findings):
    yield "data loading first", findings[0]["id"] == "gpu_idle_data_loading"


def collectives_of(trace, ranges):
    """(name of the range around the launch, start, end) of each of NCCL's kernels."""
    calls = {e["args"].get("correlation"): e for e in trace["traceEvents"] if e.get("cat") == "cuda_runtime"}
    for kernel in trace["traceEvents"]:
        if kernel.get("cat") != "kernel" or not kernel["name"].startswith("nccl"):
            continue
        call = calls[kernel["args"]["correlation"]]
        inside = [r for r in ranges if r["tid"] == call["tid"] and r["ts"] <= call["ts"] < r["ts"] + r["dur"]]
        yield inside[-1]["name"], kernel["ts"], kernel["ts"] + kernel["dur"]


def ranks(load, path, findings):
    """Two ranks of 128, as if the job had these two: NCCL's kernel has one name for all collectives, and ranges tell them
    apart."""
    names, files, kernels = [], [], []
    with tempfile.TemporaryDirectory() as folder:
        for rank in range(2):
            trace = json.loads(gzip.open(path.with_name(f"hta_sampled_rank-{rank}.json.gz")).read())
            trace["distributedInfo"]["world_size"] = 2
            ranges = [e for e in trace["traceEvents"] if e.get("cat") == "user_annotation" and e["name"].startswith("nccl:")]
            names.append(Counter(e["name"] for e in ranges))
            kernels.append(list(collectives_of(trace, ranges)))
            files.append(pathlib.Path(folder) / f"rank{rank}.json")
            files[-1].write_text(json.dumps(trace))
        yield "both ranks have the same collectives", names[0] == names[1] and len(names[0]) == 3
        ids = [f["id"] for f in why(*files)]
        rows = json.loads(compare.run_sonde("stats", "-q", "-r", "collective_trace", "-f", "json", *map(str, files)).stdout)
    pairs = [(a, b) for a in kernels[0] for b in kernels[1] if a[0] == b[0] and a[1] < b[2] and b[1] < a[2]]
    kinds = Counter("nccl:" + row["Operation"] for row in rows)
    yield "those meet that run at the same time", kinds == Counter(name.replace(":_", ":").removesuffix("_base") for (name, *_), _ in pairs)
    yield "nothing asks for files that are there", "communication_or_waiting" not in ids
    yield "more kinds than the kernels' names", len(kinds) == 3


PROFILES = {
    "pairs/omp_sc23__report3.nsys-rep": offload,
    "pairs/omp_sc23__report4.nsys-rep": kept_data,
    "pairs/vadd_serial__vector_add_profile_serial.nsys-rep": serial,
    "pairs/vadd_streamed__vector_add_profile_streamed.nsys-rep": pipelined,
    "pairs/sc21_baseline.qdrep": loading_first,
    "pairs/sc21_8workers.qdrep": loading,
    "pairs/sc21_dali.qdrep": pipeline,
    "pairs/sc21_dali_amp.qdrep": pipeline,
    "pairs/resnet50_tb_w0__worker0.1623143089861.pt.trace.json.gz": data_loader,
    "kineto/hta_sampled_rank-0.json.gz": ranks,
}


def main():
    load = compare.decoder("decode_nsys").load
    wrong = 0
    for name, check in PROFILES.items():
        folder, file = name.split("/")
        if sys.argv[1:] and not any(part in file for part in sys.argv[1:]):
            continue
        path = compare.data_folder(folder) / file
        print(file)
        wrong += sum(not compare.holds(*one) for one in check(load, path, why(path)))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
