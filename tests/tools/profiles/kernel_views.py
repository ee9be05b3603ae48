#!/usr/bin/env python3
"""Views of made-up launches against the second computation (tests/reference/ncu_views.py): each launch has another random
part of all metrics that the views read, in every form and name that they know, so that what is missing is tested too.
"""
import json
import os
import random
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "reference"))
import ncu_report  # noqa: E402
import ncu_views as reference  # noqa: E402

LAUNCHES = 120
SUFFIXES = [".sum", ".sum.per_second", ".sum.per_cycle_elapsed", ".sum.peak_sustained",
            ".sum.pct_of_peak_sustained_elapsed", ".avg.pct_of_peak_sustained_elapsed"]
L1_WHICH = [which for _, which, _ in reference.L1.values()] + [""]
L2_WHICH = list(reference.L2.values())
OPERATIONS = [op for op, _, _ in reference.L1.values()] + ["ld", "st", "shared_ld", "shared_st", "shared_atom", "ldsm",
                                                            "shared"]
SHARED = ["", "_op_ld", "_op_ldsm", "_op_st", "_op_ldgsts", "_op_atom"]


def counters():
    for unit in ("sm", "smsp"):
        for operation in ("fadd", "fmul", "ffma", "dadd", "dmul", "dfma", "hadd", "hmul", "hfma"):
            yield f"{unit}__sass_thread_inst_executed_op_{operation}_pred_on"
        for operation in OPERATIONS:
            yield f"{unit}__inst_executed_op_{operation}"
            yield f"{unit}__sass_inst_executed_op_{operation}"
    for unit, all_which in (("l1tex", L1_WHICH), ("lts", L2_WHICH)):
        for which in all_which:
            yield from (f"{unit}__t_requests{which}", f"{unit}__t_sectors{which}", f"{unit}__t_bytes{which}",
                        f"{unit}__t_sectors{which}_lookup_hit", f"{unit}__t_sectors{which}_lookup_miss")
    for which in SHARED:
        for what in ("data_pipe_lsu_wavefronts", "data_bank_conflicts_pipe_lsu"):
            yield from (f"l1tex__{what}_mem_shared{which}", f"smsp__sass_l1tex_{what}_mem_shared{which}",
                        f"sm__sass_l1tex_{what}_mem_shared{which}")
    for direction in ("", "_read", "_write", "_op_read", "_op_write"):
        yield from (f"dram__bytes{direction}", f"dram__sectors{direction}")
    yield from ("l1tex__lsu_writeback_active_mem_lg", "l1tex__lsu_writeback_active_mem_lgds",
                "lts__lts2xbar_cycles_active", "l1tex__m_xbar2l1tex_read_bytes", "l1tex__m_xbar2l1tex_read_sectors",
                "l1tex__m_l1tex2xbar_write_bytes", "l1tex__m_l1tex2xbar_write_sectors", "pcie__read_bytes",
                "pcie__write_bytes", "nvlrx__bytes", "nvltx__bytes", "sm__ops_path_tensor_src_fp16_dst_fp32",
                "sm__ops_path_tensor_op_hgmma_src_bf16_dst_fp32_sparsity_off", "sm__ops_path_tensor_src_int8")
    for aperture in ("sysmem", "peer"):
        yield f"syslts__t_sectors_srcunit_tex_aperture_{aperture}_lookup_miss"


def single_metrics():
    for unit in ("sm", "smsp", "gpc", "l1tex", "lts", "dram"):
        yield f"{unit}__cycles_elapsed.avg.per_second"
    for which in L1_WHICH:
        yield from (f"l1tex__average_t_sectors_per_request{which}.ratio", f"l1tex__t_sector{which}_hit_rate.pct")
    for which in L2_WHICH:
        yield from (f"lts__average_t_sectors_per_request{which}.ratio", f"lts__t_sector{which}_hit_rate.pct")
    for useful in ("global_op_ld", "global_op_st", "local_op_ld", "local_op_st"):
        yield f"smsp__sass_average_data_bytes_per_sector_mem_{useful}.ratio"
    yield from ("gpu__time_duration.sum", "memory_l1_wavefronts_shared", "memory_l1_wavefronts_shared_ideal",
                "dram__throughput.avg.pct_of_peak_sustained_elapsed",
                "gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed",
                "l1tex__throughput.avg.pct_of_peak_sustained_elapsed", "l1tex__throughput.avg.pct_of_peak_sustained_active",
                "lts__throughput.avg.pct_of_peak_sustained_elapsed", "derived__smsp__inst_executed_pipe_tensor_x512",
                "derived__sm__inst_executed_pipe_tensor_x512", "derived__smsp__inst_executed_pipe_tensor_op_hmma_x1024")


def value(name, random_numbers):
    if random_numbers.random() < 0.05:
        return 0.0
    if "pct" in name:
        return random_numbers.uniform(0.1, 100)
    if name.endswith(("cycles_elapsed.avg.per_second", "gpu__time_duration.sum")):
        return float(random_numbers.randrange(10 ** 6, 10 ** 9))
    return float(random_numbers.randrange(1, 10 ** random_numbers.randrange(1, 12)))


def launch(seed):
    """A report's launch; the share of the metrics that it has grows from none to all."""
    random_numbers = random.Random(seed)
    share = seed / (LAUNCHES - 1)
    names = [counter + suffix for counter in counters() for suffix in SUFFIXES] + list(single_metrics())
    metrics = {n: value(n, random_numbers) for n in names if random_numbers.random() < share ** 2}
    return {"name": f"made_up_{seed}", "grid": [1, 1, 1], "block": [32, 1, 1], "metrics": metrics}


def main():
    kernels = [launch(seed) for seed in range(LAUNCHES)]
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder, "made_up.ncu-rep")
        report.write_bytes(ncu_report.report({"kernels": kernels}))
        run = subprocess.run([os.environ["DUMP_TRACE"], "--views", str(report)], capture_output=True, check=True)
    compared, wrong, seen = 0, [], set()
    for line in run.stdout.splitlines():
        view = json.loads(line)
        if view["view"] not in reference.VIEWS:
            continue
        count, different = reference.differences(view, kernels[view["kernel"]]["metrics"])
        compared += count
        wrong += [f"launch {view['kernel']}: {d}" for d in different]
        seen |= {(view["view"], *row) for row in reference.table_of(view)} if "columns" in view else set()
    print(f"{compared} values of {LAUNCHES} launches compared, {len(wrong)} different; {len(seen)} kinds of rows")
    print("\n".join(wrong[:20]))
    return 1 if wrong or compared < 10000 else 0


if __name__ == "__main__":
    sys.exit(main())
