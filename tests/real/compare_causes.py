#!/usr/bin/env python3
"""Argues the causes that `sonde compare` prints on real pairs by raw rows.

Of pairs whose author says what was changed, one of the first two causes must name it. Of each cause of these pairs, and of
all profiles of a kind against one another, the text must hold in the raw rows of both files: what is new is not in the
base, what is slower takes longer in the mean, what turned pinned was pageable.

The data are SONDE_TEST_DATA; the decoder is decode_nsys.py in the folder `tools` beside it. Exits 77 (skipped) without."""

import json
import os
import re
import subprocess
import sys
from itertools import permutations
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "reference"))

import _raw_work
import compare

SONDE, DATA = os.environ["SONDE"], os.environ.get("SONDE_TEST_DATA")

# base, new, what one of the first two causes says. None: the change is no cause of what was recorded.
AUTHORS = [
    ("pairs/sc21_baseline.qdrep", "pairs/sc21_8workers.qdrep", r"idle for less time .* in .*data copy in"),
    ("pairs/sc21_8workers.qdrep", "pairs/sc21_dali.qdrep", r"idle for less time .* in .*data copy in"),
    ("pairs/sc21_dali.qdrep", "pairs/sc21_dali_amp.qdrep", r"Kernels were replaced"),
    ("pairs/vadd_serial__vector_add_profile_serial.nsys-rep", "pairs/vadd_streamed__vector_add_profile_streamed.nsys-rep",
     r"copies in .* now use pinned memory"),
    ("pairs/csl__gemm_full.nsys-rep", "pairs/csl__gemm_pinned.nsys-rep", r"copies in .* now use pinned memory"),
    ("pairs/resnet50_tb_w0__worker0.1623143089861.pt.trace.json.gz",
     "pairs/resnet50_tb_w4__worker0.1623212756351.pt.trace.json.gz", r"idle for less time \(data loading\)"),
    ("kineto/hta_trace_diff_control.json.gz", "kineto/hta_trace_diff_test.json.gz", r"Kernels were added in .*CompiledFunction"),
    ("h100/mix.bad", "h100/mix.fixed", r"Kernels were replaced in .*aten::(mm|addmm).*tf32"),
    ("h100/pageable_copy.bad", "h100/pageable_copy.fixed", r"Host-to-Device copies in .* now use pinned memory"),
    ("h100/graph_infer.bad", "h100/graph_infer.fixed", r"CUDA graphs replace kernel launches"),
    ("h100/attention_eager.bad", "h100/attention_eager.fixed", r"Kernels were removed from .*(matmul|softmax|aten::mul)"),
    ("h100/elementwise_big.bad", "h100/elementwise_big.fixed", r"Kernels were replaced in .*triton"),
    ("h100/alloc_nocache.bad", "h100/alloc_nocache.fixed", r"Memory is allocated and freed less often .*cudaMalloc"),
    ("h100/rtdetr_b8.bad", "h100/rtdetr_b8.fixed", r"Kernels were replaced in .*(f32|float)"),
    ("h100/resnet50_nchw.bad", "h100/resnet50_nchw.fixed", None),
    ("h100/sync_cpu.bad", "h100/sync_cpu.fixed", r"The host is blocked for less time, mainly in cudaMemcpyAsync"),
]
# All against all, in both directions.
GROUPS = [
    ["pairs/sc21_baseline.qdrep", "pairs/sc21_8workers.qdrep", "pairs/sc21_dali.qdrep", "pairs/sc21_dali_amp.qdrep"],
    ["pairs/vadd_serial__vector_add_profile_serial.nsys-rep", "pairs/vadd_streamed__vector_add_profile_streamed.nsys-rep",
     "pairs/csl__gemm_full.nsys-rep", "pairs/csl__gemm_pinned.nsys-rep"],
    ["h100/mix.bad", "h100/mix.fixed", "h100/rtdetr_b8.bad", "h100/rtdetr_b8.fixed"],
    ["h100/sync_cpu.bad", "h100/sync_cpu.fixed", "h100/pageable_copy.bad", "h100/pageable_copy.fixed"],
]


def path_of(name):
    found = Path(DATA) / name
    return found if found.exists() else Path(DATA) / f"{name}.pt.trace.json.gz"


def raw_of(name, decode, known={}):
    if name not in known:
        known[name] = _raw_work.read(path_of(name), decode)
    return known[name]


def compared(base, new):
    result = subprocess.run([SONDE, "compare", "--base", path_of(base), "--new", path_of(new), "-f", "json"],
                            capture_output=True, text=True, timeout=300)  # fmt: skip
    if result.returncode != 0:
        raise RuntimeError(result.stderr)
    return json.loads(result.stdout)


class Argued:
    """One cause against the raw rows of both sides."""

    def __init__(self, cause, difference, base, new):
        self.cause, self.difference, self.base, self.new = cause, difference, base, new
        self.arguments = cause["arguments"]
        self.id = cause["id"]
        self.whole = difference["part"] == "gpu_work"

    def longer(self, rows_base, rows_new):
        return self.new.mean_ns(rows_new) > self.base.mean_ns(rows_base)

    def direction_is_true(self):
        if self.id.startswith(("launches_more_", "launches_fewer_", "overlap", "graph")):
            return
        if re.search(r"(slower|longer|_more|_added|_fell)$", self.id):
            yield "the change is negative", self.cause["change_ns"] > 0
        if re.search(r"(faster|shorter|_less|_fewer|_removed|_rose)$", self.id):
            yield "the change is positive", self.cause["change_ns"] < 0

    def names_are_true(self):
        added, removed = self.arguments.get("added"), self.arguments.get("removed")
        if self.id in ("kernels_added", "kernels_replaced") and added:
            yield f"{added} is not in the new run", bool(self.new.kernels(added))
        if self.id in ("kernels_removed", "kernels_replaced") and removed:
            yield f"{removed} is not in the base", bool(self.base.kernels(removed))
        if self.id == "kernels_added" and self.whole:
            yield f"{added} is in the base too", len(self.base.kernels(added)) < len(self.new.kernels(added))
        if self.id == "kernels_removed" and self.whole:
            yield f"{removed} is in the new run too", len(self.base.kernels(removed)) > len(self.new.kernels(removed))

    def durations_are_true(self):
        """Means of a kernel over all its modules: they can differ from a module's own where there are several."""
        kernel = self.arguments.get("kernel")
        if not self.whole or self.id not in ("kernel_slower", "kernel_faster", "configuration_slower", "configuration_faster"):
            return
        base, new = self.base.kernels(kernel), self.new.kernels(kernel)
        if not base or not new or not self.base_only_module(kernel):
            return
        yield f"{kernel} has other means", self.longer(base, new) == (self.cause["change_ns"] > 0)

    def base_only_module(self, kernel):
        return sum(row["name"] == kernel for row in self.difference["kernels_in_modules"]) == 1

    def copies_are_true(self):
        direction = self.arguments.get("direction")
        if not direction:
            return
        sized = {}
        for side, raw in (("base", self.base), ("new", self.new)):
            for memory in (True, False):
                sized[side, memory] = raw.bytes(raw.of("copy", direction, memory))
        share = {side: sized[side, True] / max(1, sized[side, True] + sized[side, False]) for side in ("base", "new")}
        if self.id == "pageable_copies_fewer":
            yield f"pageable bytes {share}", share["base"] > share["new"] and sized["new", False] > 0
        if self.id == "pageable_copies_more":
            yield f"pageable bytes {share}", share["base"] < share["new"] and sized["base", False] > 0
        counts = len(self.base.of("copy", direction)), len(self.new.of("copy", direction))
        if self.whole and self.id == "copies_added":
            yield f"copies {counts}", counts[0] < counts[1]
        if self.whole and self.id == "copies_removed":
            yield f"copies {counts}", counts[0] > counts[1]
        if self.whole and self.id in ("copies_more", "copies_fewer"):
            yield f"copies {counts}", (counts[0] < counts[1]) == (self.id == "copies_more")

    def memsets_are_true(self):
        counts = len(self.base.of("memset")), len(self.new.of("memset"))
        if self.id == "memsets_added":
            yield f"memsets {counts}", counts[0] < counts[1]
        if self.id == "memsets_removed":
            yield f"memsets {counts}", counts[0] > counts[1]

    def calls_are_true(self):
        graphs = [sum(count for name, count in raw.calls.items() if "GraphLaunch" in name) for raw in (self.base, self.new)]
        if self.id == "graph_calls_added":
            yield f"graph launches {graphs}", graphs[0] < graphs[1]
        if self.id == "graph_calls_removed":
            yield f"graph launches {graphs}", graphs[0] > graphs[1]
        if not self.whole or not self.id.startswith(("synchronizations", "allocations", "blocking")):
            return
        names = self.arguments["calls"].split(", ")
        counts = [sum(raw.calls[name] for name in names) for raw in (self.base, self.new)]
        yield f"{names}: {counts}", (counts[1] > counts[0]) == self.id.endswith("_more")

    def mistakes(self):
        for part in (self.direction_is_true, self.names_are_true, self.durations_are_true, self.copies_are_true,
                     self.memsets_are_true, self.calls_are_true):  # fmt: skip
            for what, holds in part():
                if not holds:
                    yield f"{self.cause['says']} ({self.cause['change_ns']} ns): {what}"


def split_mistakes(difference, base, new):
    """Busy and idle time over the whole GPU work, by the union of all rows."""
    if difference["part"] != "gpu_work" or difference["gpus"] != 1:
        return
    rows = {row["name"]: row for row in difference["top"]}
    for side, raw in (("base_ns", base), ("new_ns", new)):
        first, last = raw.extent()
        if abs(difference[side] - (last - first)) > 2000:
            yield f"{side}: {difference[side]}, in the rows {last - first}"
        if abs((rows["busy"][side] or 0) - raw.busy_ns()) > 0.001 * raw.busy_ns() + 2000:
            yield f"{side}: busy {rows['busy'][side]}, in the rows {raw.busy_ns()}"


def pair_mistakes(base, new, decode, says=None):
    document = compared(base, new)
    difference = document["difference"]
    raws = raw_of(base, decode), raw_of(new, decode)
    yield from split_mistakes(difference, *raws)
    for cause in difference["causes"]:
        yield from Argued(cause, difference, *raws).mistakes()
    first = [cause["says"] for cause in difference["causes"][:2]]
    if says and not any(re.search(says, text) for text in first):
        yield f"the author's change ({says}) is not among the first two: {first}"


def main():
    decode = compare.decoder("decode_nsys")
    pairs = {(base, new): says for base, new, says in AUTHORS}
    for group in GROUPS:
        for base, new in permutations(group, 2):
            pairs.setdefault((base, new))
    failures = 0
    for (base, new), says in pairs.items():
        for line in pair_mistakes(base, new, decode, says):
            failures += 1
            print(f"{base} -> {new}: {line}")
    print(f"{len(pairs)} pairs, {failures} mistakes")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
