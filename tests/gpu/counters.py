"""Compares counters of a kernel with those of Nsight Compute for the same kernel. Only counters that do not depend on
clocks or chance."""

import csv
import io

from _host import SONDE, Missing, check, close, gpus, run, sonde_has, tool

from _cuda import Cuda

METRICS = ("smsp__inst_executed.sum", "smsp__sass_thread_inst_executed_op_ffma_pred_on.sum",
           "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", "lts__t_sectors_op_read.sum", "dram__bytes_read.sum")
CLOSE = 0.02


def number(text):
    return float(text.replace(",", ""))


def of_ncu(host):
    """{metric: value} of the first axpy kernel."""
    done = run([tool("ncu", "/usr/local/cuda/bin/ncu"), "--csv", "--page", "raw", "--print-units", "base", "--metrics",
                ",".join(METRICS), "-k", "regex:axpy", "-c", 1, host.program(), "work", 3], must_succeed=False)
    if "ERR_NVGPUCTRPERM" in done.stdout + done.stderr:
        raise Missing("this user may not read counters (ERR_NVGPUCTRPERM)")
    lines = [line for line in done.stdout.splitlines() if line.startswith('"')]
    check(len(lines) >= 3, f"ncu printed no table: {done.stdout[-500:]} {done.stderr[-500:]}")
    names, _, values = list(csv.reader(io.StringIO("\n".join(lines[:3]))))
    return {name: number(value) for name, value in zip(names, values) if name in METRICS}


def of_sonde(host):
    path = host.file("metrics.sqlite")
    run([SONDE, "record", "-f", "--metrics", ",".join(METRICS), "--kernel-regex", "axpy", "--launch-count", 1, "-o", path, "--",
         host.program(), "work", 3])
    return dict(Cuda(path).rows("SELECT s.value, m.value FROM SONDE_KERNEL_METRIC m JOIN StringIds s ON s.id = m.nameId"))


def against_ncu(host):
    gpus()
    sonde_has("record", "--metrics")
    theirs = of_ncu(host)
    ours = of_sonde(host)
    for name, value in theirs.items():
        check(name in ours, f"no {name}: {ours}")
        close(ours[name], value, CLOSE, name)
    return f"{len(theirs)} counters within {CLOSE:.0%}"


PARTS = (against_ncu,)
