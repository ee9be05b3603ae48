#!/usr/bin/env python3
"""Checks the general set of GPU metrics against NVIDIA's own CUPTI, which knows the chips without a GPU: which metrics
exist, and that they fit into the single pass of sampling. Skipped without CUPTI of CUDA 12.6 or later."""

import ctypes
import glob
import re
import sys
from ctypes import POINTER, Structure, c_char_p, c_size_t, c_uint32, c_void_p
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "shared"))
from _recorded import check

SET = Path(__file__).parents[3] / "src/inject/gpu_metrics/metric_set.inc"
PM_SAMPLING = 1
ESSENTIAL = {"SMs Active [Throughput %]", "GR Active [Throughput %]", "SM Issue [Throughput %]",
             "GPC Clock Frequency [MHz]", "Compute Warps in Flight [Throughput %]"}
# What does not fit beside the rest; in the order of the set.
LEFT_OUT = dict.fromkeys(("GB100", "GB102", "GB110"), ["Unallocated Warps in Active SMs [Throughput %]"])
# For a data centre, whose memory and tensor cores must be there.
COMPLETE = {"GA100", "GH100", "GB100"}
MEMORY = {"DRAM Read Bandwidth [Throughput %]", "DRAM Write Bandwidth [Throughput %]", "Tensor Active [Throughput %]"}


def params(*fields):
    """A structure of CUPTI's whose first field is its size."""
    kind = type("Params", (Structure,), {"_fields_": [("size", c_size_t), ("reserved", c_void_p), *fields]})
    return lambda **values: kind(size=ctypes.sizeof(kind), **values)


HOST = ("host", c_void_p)
Chips = params(("count", c_size_t), ("names", POINTER(c_char_p)))
Initialize = params(("profiler", c_uint32), ("chip", c_char_p), ("availability", c_void_p), HOST)
Deinitialize = params(HOST)
Add = params(HOST, ("names", POINTER(c_char_p)), ("count", c_size_t))
Size = params(HOST, ("bytes", c_size_t))
Image = params(HOST, ("bytes", c_size_t), ("image", c_void_p))
Passes = params(("bytes", c_size_t), ("image", c_void_p), ("passes", c_size_t))


def find_cupti():
    for path in ["libcupti.so.13", "libcupti.so.12", *glob.glob("/usr/local/cuda*/**/libcupti.so.1[23]", recursive=True)]:
        try:
            library = ctypes.CDLL(path)
        except OSError:
            continue
        if hasattr(library, "cuptiPmSamplingSetConfig"):
            return library
    print("skipped: there is no CUPTI of CUDA 12.6 or later on this machine")
    return sys.exit(77)


def passes(cupti, chip, names, profiler=PM_SAMPLING):
    """How many passes the metrics take on a chip; None where it does not take them."""
    initialize = Initialize(profiler=profiler, chip=chip)
    if cupti.cuptiProfilerHostInitialize(ctypes.byref(initialize)) != 0:
        return None
    try:
        words = (c_char_p * len(names))(*[name.encode() for name in names])
        add = Add(host=initialize.host, names=words, count=len(names))
        if cupti.cuptiProfilerHostConfigAddMetrics(ctypes.byref(add)) != 0:
            return None
        size = Size(host=initialize.host)
        check(cupti.cuptiProfilerHostGetConfigImageSize(ctypes.byref(size)) == 0, "size of a configuration")
        image = ctypes.create_string_buffer(size.bytes)
        place = ctypes.cast(image, c_void_p)
        check(cupti.cuptiProfilerHostGetConfigImage(
            ctypes.byref(Image(host=initialize.host, bytes=size.bytes, image=place))) == 0, "a configuration")
        asked = Passes(bytes=size.bytes, image=place)
        check(cupti.cuptiProfilerHostGetNumOfPasses(ctypes.byref(asked)) == 0, "passes")
        return asked.passes
    finally:
        cupti.cuptiProfilerHostDeinitialize(ctypes.byref(Deinitialize(host=initialize.host)))


def metric_set():
    """[(shown, [metric, ...]), ...]"""
    text = re.sub(r"^//.*$", "", SET.read_text(), flags=re.M)
    rows = re.findall(r"SONDE_GPU_METRIC\((.*?)\)\n(?=SONDE|#undef)", text, flags=re.S)
    return [(words[0], words[1:]) for words in (re.findall(r'"([^"]+)"', row) for row in rows)]


def chosen(cupti, chip, rows):
    """As the injected library chooses: {shown: metric} of what fits, [shown] of what does not."""
    known = {}
    for shown, names in rows:
        of_chip = [name for name in names if passes(cupti, chip, [name]) is not None]
        if of_chip:
            known[shown] = of_chip[0]
    if passes(cupti, chip, list(known.values())) == 1:
        return known, []
    kept, left_out = {}, []
    for shown, name in known.items():
        if passes(cupti, chip, [*kept.values(), name]) == 1:
            kept[shown] = name
        else:
            left_out.append(shown)
    return kept, left_out


def main():
    cupti = find_cupti()
    rows = metric_set()
    check(len(rows) == 16, f"{len(rows)} metrics were read of the set")
    chips = Chips()
    check(cupti.cuptiProfilerHostGetSupportedChips(ctypes.byref(chips)) == 0, "chips")
    for chip in (chips.names[i] for i in range(chips.count)):
        if chip.startswith(b"GV") or passes(cupti, chip, [rows[0][1][0]]) is None:  # CUPTI does not sample it
            continue
        kept, left_out = chosen(cupti, chip, rows)
        print(f"{chip.decode()}: {len(kept)} of {len(rows)}, left out {left_out}")
        check(kept.keys() >= ESSENTIAL, f"{chip}: without {ESSENTIAL - kept.keys()}")
        check(chip.decode() not in COMPLETE or kept.keys() >= MEMORY, f"{chip}: without {MEMORY - kept.keys()}")
        check(left_out == LEFT_OUT.get(chip.decode(), []), f"{chip}: left out {left_out}")


if __name__ == "__main__":
    main()
