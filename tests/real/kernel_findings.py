#!/usr/bin/env python3
"""Argues every finding of `sonde why`, and the causes of `sonde compare`, on real Nsight Compute reports by the metrics
that an independent decoder reads (decode_ncu.py in the folder `tools` beside SONDE_TEST_DATA).

usage: SONDE_TEST_DATA=FOLDER [SONDE=PROGRAM] kernel_findings.py
"""

import json
import math
import os
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "reference"))

import compare
import ncu_rep

SKIPPED = 77
PEAK = ".avg.pct_of_peak_sustained_elapsed"
MEMORY = "gpu__compute_memory_throughput" + PEAK
COMPUTE = "sm__throughput" + PEAK
L1 = "l1tex__throughput.avg.pct_of_peak_sustained_active"
PARTS = (("dram", "DRAM"), ("fbpa__", "DRAM"), ("lts__d_sectors_fill_sysmem", "host"), ("lts__", "L2"), ("lrc__", "L2"),
         ("l1tex__m_", "L2"), ("l1tex__", "L1"))
# Pairs whose change the author states: base, new, what sonde must call the cause, and the kernel's name in the base where
# it was renamed.
PAIRS = (
    ("pairs/sgemm_suhithr__naive", "pairs/sgemm_suhithr__global_memory_coalescing", "chain.coalesced", "sgemm_naive"),
    ("pairs/mlpadd__report", "pairs/mlpadd__report_v4_8_per_thread", "chain.uncoalesced", None),
    ("pairs/poisson_single", "pairs/poisson_single_coalesce", "chain.accessed_less", "poisson_single"),
    ("h100/k01_uncoalesced.bad", "h100/k01_uncoalesced.fixed", "chain.coalesced", "target_read"),
    ("h100/k03_registers.bad", "h100/k03_registers.fixed", "chain.occupancy_higher", "target_chase"),
    ("h100/k07_fp64.bad", "h100/k07_fp64.fixed", "chain.fp64_less", "target_poly"),
)
# What is wrong in the bad variants of the truth, as a finding.
WRONG = {"k01_uncoalesced": "kernel_uncoalesced", "k03_registers": "kernel_occupancy",
         "k07_fp64": "kernel_fp64_conversions"}


def printed(*arguments):
    return compare.run_sonde(*arguments).stdout


def launches_of(decoder, path):
    """The metrics of each launch; of a metric that several passes collected, the last."""
    _, _, _, results = decoder.load(path)
    return [({name: value for name, value, _, _ in r["metrics"]},
             {name: parts for name, _, parts, _ in r["metrics"]}, r) for r in results]


def number(metrics, name):
    value = metrics.get(name)
    return value if isinstance(value, (int, float)) else None


def busiest_part(metrics):
    """(part, percent) of the memory system by the list of its parts, or by L1 where that leads by 10 points."""
    listed = metrics.get("breakdown:" + MEMORY)
    found = [(number(metrics, name), name) for name in (listed or "").split(",") if "_internal_activity" not in name]
    known = [(value, name) for value, name in found if value is not None]
    if not known:
        return None
    percent, name = max(known, key=lambda pair: pair[0])
    part = next((word for prefix, word in PARTS if name.startswith(prefix)), None)
    l1 = number(metrics, L1)
    levels = [number(metrics, "gpu__dram_throughput" + PEAK), number(metrics, "lts__throughput" + PEAK)]
    leads = l1 is not None and all(l1 > (level or 0) for level in levels)
    return ("L1", l1) if leads and l1 >= percent + 10 else (part, percent)


def expected_bound(metrics):
    compute, memory = number(metrics, COMPUTE), number(metrics, MEMORY)
    if compute is None or memory is None:
        return None
    most = max(compute, memory)
    if most < 60:
        if number(metrics, "launch__waves_per_multiprocessor") < 1:
            return "small grid"
        return "memory" if (number(metrics, L1) or 0) >= 80 else "latency"
    if most < 80 and abs(compute - memory) < 10:
        return "balanced"
    return "compute" if compute > memory else "memory"


def bound_mistakes(document, launches):
    """The bound of each kernel's longest launch."""
    by_name = {}
    for metrics, _, result in launches:
        time = number(metrics, "gpu__time_duration.sum") or 0
        name = result["name"] or result["mangled"]
        if time > by_name.get(name, (0, None))[0]:
            by_name[name] = (time, metrics)
    for kernel in document["kernels"]:
        metrics = by_name[kernel["name"]][1]
        expected = expected_bound(metrics)
        printed = kernel["bound"]
        if (printed or "").split(" (")[0] != (expected or ""):
            yield f"{kernel['name']}: bound by {printed}, expected {expected}"
        if expected == "memory":
            part, _ = busiest_part(metrics)
            shown = printed[len("memory ("):-1]
            alike = {"L1": ("L1", "shared memory", "L1 or shared memory"), "host": ("host memory",)}.get(part, (part,))
            if shown not in alike:
                yield f"{kernel['name']}: bound by {shown}, the busiest part is {part}"


def uncoalesced(metrics, _):
    share = 100 * number(metrics, "derived__memory_l2_theoretical_sectors_global_excessive") / number(
        metrics, "memory_l2_theoretical_sectors_global")
    return share >= 10, min(share, 100 - number(metrics, COMPUTE))


def l1_passes(metrics, _):
    passes = 2 * number(metrics, "l1tex__data_pipe_lsu_wavefronts" + PEAK) / number(metrics, "l1tex__lsuin_requests" + PEAK)
    shared = number(metrics, "launch__shared_mem_per_block_static") + number(metrics, "launch__shared_mem_per_block_dynamic")
    return passes > 4 and shared == 0, min(100 * (1 - 1 / passes), 100 - number(metrics, COMPUTE))


def small_grid(metrics, _):
    fill = min(number(metrics, "launch__grid_size") / number(metrics, "device__attribute_multiprocessor_count"),
               number(metrics, "launch__waves_per_multiprocessor"))
    return fill < 1, 100 * (1 - fill)


def tail(metrics, _):
    waves = number(metrics, "launch__waves_per_multiprocessor")
    share = 100 * (math.ceil(waves) - waves) / math.ceil(waves)
    return waves > 1 and share >= 20, share


def occupancy(metrics, _):
    theoretical = number(metrics, "sm__maximum_warps_per_active_cycle_pct")
    busiest = max(number(metrics, COMPUTE), number(metrics, MEMORY))
    return theoretical <= 50 and busiest < 80, min(100 - theoretical, 100 - busiest)


def fp64_conversions(metrics, parts):
    counts = {opcode.split(".")[0]: value for opcode, value in parts["sass__inst_executed_per_opcode"]}
    every = sum(counts.values())
    conversions = counts.get("F2F", 0)
    fp64 = sum(counts.get(opcode, 0) for opcode in ("DADD", "DMUL", "DFMA", "DSETP", "DMNMX"))
    left = (every - conversions - fp64) / every * number(metrics, "sm__issue_active" + PEAK)
    return conversions >= 0.1 * every and fp64 > 0, 100 - max(left, number(metrics, MEMORY))


def latency(metrics, _):
    busiest = max(number(metrics, COMPUTE), number(metrics, MEMORY), number(metrics, L1) or 0)
    return busiest < 80, 100 - max(number(metrics, COMPUTE), number(metrics, MEMORY))


def limit(metrics, _):
    return max(number(metrics, COMPUTE), number(metrics, MEMORY), number(metrics, L1) or 0) >= 60, 100


def empty(metrics, _):
    return number(metrics, "gpu__time_duration.sum") <= 3000, 100


# By finding: whether a launch has the problem, and the most of its time that a fix saves, in percent.
PROBLEMS = {"kernel_uncoalesced": uncoalesced, "kernel_l1_passes": l1_passes, "kernel_small_grid": small_grid,
            "kernel_tail": tail, "kernel_occupancy": occupancy, "kernel_fp64_conversions": fp64_conversions,
            "kernel_empty": empty, "kernel_limit_dram": limit, "kernel_limit_l2": limit, "kernel_limit_l1": limit,
            "kernel_limit_shared": limit, "kernel_limit_compute": limit, "kernel_latency": latency,
            "kernel_latency_memory": latency, "kernel_latency_barrier": latency, "kernel_latency_unknown": latency}


def finding_mistakes(document, launches):
    for finding in document["findings"]:
        problem = PROBLEMS.get(finding["id"])
        if problem is None:
            yield f"{finding['id']}: nothing argues it"
            continue
        for evidence in finding["evidence"]:
            metrics, parts, _ = launches[evidence["launch"]]
            if evidence["end_ns"] != round(number(metrics, "gpu__time_duration.sum")):
                yield f"{finding['id']}: launch {evidence['launch']} takes {evidence['end_ns']} ns"
            if not problem(metrics, parts)[0]:
                yield f"{finding['id']}: launch {evidence['launch']} does not have the problem"
        if finding["reachable"] and len(finding["evidence"]) < 10:
            most = sum(problem(*launches[e["launch"]][:2])[1] / 100 * e["end_ns"] for e in finding["evidence"])
            if finding["ceiling_ns"] > most + len(finding["evidence"]):
                yield f"{finding['id']}: a ceiling of {finding['ceiling_ns']}, by the metrics {most:.0f}"


def report_mistakes(decoder, path):
    document = json.loads(printed("why", "--json", path))
    launches = launches_of(decoder, path)
    whole = sum(round(number(metrics, "gpu__time_duration.sum") or 0) for metrics, _, _ in launches)
    if document["wall_ns"] != whole:
        yield f"{document['wall_ns']} ns in all, the launches have {whole}"
    yield from bound_mistakes(document, launches)
    yield from finding_mistakes(document, launches)


def truth_mistakes(data):
    rows = json.loads((data / "h100/truth.json").read_text())["rows"]
    for row in rows:
        if row["case"] not in WRONG or row["variant"] != "bad":
            continue
        document = json.loads(printed("why", "--json", data / "h100" / row["profile"]))
        fixed = next(r for r in rows if r["case"] == row["case"] and r["variant"] == "fixed")
        found = {f["id"]: (rank, f["ceiling_ns"]) for rank, f in enumerate(document["findings"], 1)}
        rank, ceiling = found.get(WRONG[row["case"]], (99, 0))
        other = json.loads(printed("why", "--json", data / "h100" / fixed["profile"]))
        saved = document["wall_ns"] - other["wall_ns"]
        if rank > 2:
            yield f"{row['case']}: {WRONG[row['case']]} has rank {rank}"
        if ceiling < saved:
            yield f"{row['case']}: a ceiling of {ceiling}, and the fix saves {saved}"


def pair_mistakes(data):
    for base, new, cause, was in PAIRS:
        arguments = ("compare", "-f", "json", "--base", data / f"{base}.ncu-rep", "--new", data / f"{new}.ncu-rep")
        chains = json.loads(printed(*arguments))["kernel_reports"]
        if len(chains) != 1:
            yield f"{new}: {len(chains)} kernels, expected one pair"
        elif chains[0]["cause"] != cause:
            yield f"{new}: the cause is {chains[0]['cause']}, expected {cause}"
        elif was and was not in (chains[0]["base_kernel"] or ""):
            yield f"{new}: was called {chains[0]['base_kernel']}, expected {was}"
        elif "clock" in chains[0]["says"] and not chains[0]["clock_ns"]:
            yield f"{new}: speaks of a clock that did not change"


def advice_mistakes(path):
    """What relieves only latency is no advice for a kernel at the limit of its memory."""
    rows = json.loads(printed("kernels", "-q", "-f", "json", "--columns", "id,memory,bound,advice", path))
    for row in rows:
        bound, advice = row.get("Bound") or "", row.get("Top Advice") or ""
        at_limit = bound.startswith("memory") and (row.get("Memory (%)") or 0) >= 80
        if at_limit and any(word in advice for word in ("Occupancy", "Issue Slot", "Stalls", "Low Utilization")):
            yield f"launch {row.get('ID')}: {advice} for a kernel with {bound}"
        if "Compression" in advice and "DRAM" not in bound:
            yield f"launch {row.get('ID')}: {advice} for a kernel with {bound}"


def main():
    data = os.environ.get("SONDE_TEST_DATA")
    decoder = ncu_rep.load_decoder(data) if data else None
    if decoder is None:
        print("skipped: SONDE_TEST_DATA is not set, or decode_ncu.py is not beside it")
        return SKIPPED
    data = Path(data)
    mistakes = []
    reports = sorted(path for folder in ("ncu_rep", "h100", "pairs") for path in (data / folder).glob("*.ncu-rep"))
    for path in reports:
        mistakes += [f"{path.name}: {text}" for text in report_mistakes(decoder, path)]
        mistakes += [f"{path.name}: {text}" for text in advice_mistakes(path)]
    mistakes += [*truth_mistakes(data), *pair_mistakes(data)]
    print("\n".join(mistakes) or f"{len(reports)} reports and {len(PAIRS)} pairs argued")
    return 1 if mistakes else 0


if __name__ == "__main__":
    sys.exit(main())
