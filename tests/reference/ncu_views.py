"""What the views of a measured launch (src/analyses/*_view.cc) have to show, a second time: from the plain metrics of a
kernel, by name, with full names written out. Formulas: docs/profiles/kernel_views.md.

A kernel here is a dict of metric name -> number. A view is a dict of (its texts) -> {column: number}; what is not known
is not in it.
"""
from occupancy import Launch, gpu_of, occupancy

SECTOR = 32


def first(metrics, *names):
    return next((metrics[n] for n in names if metrics.get(n) is not None), None)


def times(*numbers):
    out = 1.0
    for number in numbers:
        if number is None:
            return None
        out *= number
    return out


def over(a, b):
    return None if a is None or not b else a / b


def seconds(metrics):
    return times(metrics.get("gpu__time_duration.sum"), 1e-9)


def clock(metrics, counter):
    """Hz of the unit that counts."""
    unit = counter.partition("__")[0]
    names = [f"{unit}__cycles_elapsed.avg.per_second"]
    if unit in ("sm", "smsp", "l1tex", "idc"):
        names += ["sm__cycles_elapsed.avg.per_second", "smsp__cycles_elapsed.avg.per_second",
                  "gpc__cycles_elapsed.avg.per_second"]
    return first(metrics, *names)


def rate(metrics, counter):
    candidates = [metrics.get(f"{counter}.sum.per_second"),
                  times(metrics.get(f"{counter}.sum.per_cycle_elapsed"), clock(metrics, counter)),
                  over(metrics.get(f"{counter}.sum"), seconds(metrics))]
    return next((c for c in candidates if c is not None), None)


def total(metrics, counter):
    found = metrics.get(f"{counter}.sum")
    return times(rate(metrics, counter), seconds(metrics)) if found is None else found


def stated_percent(metrics, counter):
    return first(metrics, f"{counter}.sum.pct_of_peak_sustained_elapsed", f"{counter}.avg.pct_of_peak_sustained_elapsed")


def stated_peak(metrics, counter):
    return times(metrics.get(f"{counter}.sum.peak_sustained"), clock(metrics, counter))


def peak(metrics, counter):
    found = stated_peak(metrics, counter)
    return over(times(rate(metrics, counter), 100), stated_percent(metrics, counter)) if found is None else found


def percent(metrics, counter):
    found = stated_percent(metrics, counter)
    return over(times(rate(metrics, counter), 100), stated_peak(metrics, counter)) if found is None else found


def cells(**columns):
    return {name.replace("_", " "): value for name, value in columns.items() if value is not None}


# ---- roofline

def scalar_flop(metrics, add, multiply, fused, packed):
    def per_second(operation):
        found = rate(metrics, f"smsp__sass_thread_inst_executed_op_{operation}_pred_on")
        return rate(metrics, f"sm__sass_thread_inst_executed_op_{operation}_pred_on") if found is None else found
    parts = [per_second(add), per_second(multiply), per_second(fused)]
    achieved = None if None in parts else packed * (parts[0] + parts[1] + 2 * parts[2])
    ceiling = first({n: peak(metrics, f"{n}__sass_thread_inst_executed_op_{fused}_pred_on") for n in ("sm", "smsp")},
                    "sm", "smsp")
    return achieved, times(ceiling, 2 * packed)


def arithmetic(metrics):
    """kind -> (FLOP/s, ceiling)"""
    kinds = {"FP32": scalar_flop(metrics, "fadd", "fmul", "ffma", 1),
             "FP64": scalar_flop(metrics, "dadd", "dmul", "dfma", 1),
             "FP16": scalar_flop(metrics, "hadd", "hmul", "hfma", 2)}
    for counter in sorted({n.partition(".")[0] for n in metrics if n.startswith("sm__ops_path_tensor_")}):
        kinds["tensor " + counter.removeprefix("sm__ops_path_tensor_").removeprefix("src_")] = (
            rate(metrics, counter), peak(metrics, counter))
    for name, value in metrics.items():
        head, at, factor = name.rpartition("_x")
        if head.startswith("derived__smsp__inst_executed_pipe_tensor") and at:
            sm_clock, smsp_clock = clock(metrics, "sm__x"), clock(metrics, "smsp__x")
            of_sm = metrics.get(name.replace("__smsp__", "__sm__"))
            kinds["tensor" + head.removeprefix("derived__smsp__inst_executed_pipe_tensor")] = (
                times(value, smsp_clock), times(of_sm, sm_clock))
    return {kind: found for kind, found in kinds.items() if found[0] is not None}


def traffic(metrics):
    """level -> (bytes/s, ceiling)"""
    counters = {"L1/TEX": [("l1tex__lsu_writeback_active_mem_lg", 128), ("l1tex__t_bytes", 1)],
                "L1/TEX and shared": [("l1tex__lsu_writeback_active_mem_lgds", 128)],
                "L2": [("lts__lts2xbar_cycles_active", 32), ("l1tex__m_xbar2l1tex_read_bytes", 1), ("lts__t_bytes", 1)],
                "DRAM": [("dram__bytes", 1)]}
    levels = {}
    for level, names in counters.items():
        for counter, size in names:
            if rate(metrics, counter) is not None:
                levels[level] = (times(rate(metrics, counter), size), times(peak(metrics, counter), size))
                break
    return levels


def roofline(metrics):
    rows = {}
    levels, kinds = traffic(metrics), arithmetic(metrics)
    for kind, (flop, ceiling) in kinds.items():
        if not flop or not levels:
            if flop or not kind.startswith("tensor "):
                rows[kind, None, None] = cells(Achieved=flop / 1e9, Ceiling=times(ceiling, 1e-9))
            continue
        for level, (moved, bandwidth) in levels.items():
            row = {"Achieved": flop / 1e9, "Ceiling": times(ceiling, 1e-9), "Traffic": moved / 1e9,
                   "Bandwidth": times(bandwidth, 1e-9), "Intensity": over(flop, moved),
                   "Ridge": over(ceiling or None, bandwidth)}
            roof_name = None
            if ceiling and bandwidth:
                under_slope = row["Intensity"] is not None and row["Intensity"] < row["Ridge"]
                roof = min(ceiling, row["Intensity"] * bandwidth) if under_slope else ceiling
                row["Of the roof"] = 100 * flop / roof
                roof_name = level if under_slope else kind
            rows[kind, level, roof_name] = {k: v for k, v in row.items() if v is not None}
    if kinds and not any(flop for flop, _ in kinds.values()):
        for level, (moved, bandwidth) in levels.items():
            share = times(over(moved, bandwidth), 100)
            rows["no FLOP", level, level if share is not None else None] = {
                k: v for k, v in (("Traffic", moved / 1e9), ("Bandwidth", times(bandwidth, 1e-9)), ("Of the roof", share))
                if v is not None}
    return rows


# ---- memory

def instructions(metrics, operation):
    for unit in ("smsp", "sm"):
        for stem in ("inst_executed_op_", "sass_inst_executed_op_"):
            found = total(metrics, f"{unit}__{stem}{operation}")
            if found is not None:
                return found
    return None


def accesses(metrics, unit, which):
    """Requests, sectors, sectors per request, hit rate, bytes, bytes/s, missed sectors, share of the peak."""
    sectors = total(metrics, f"{unit}__t_sectors{which}")
    hits, misses = (total(metrics, f"{unit}__t_sectors{which}_lookup_{x}") for x in ("hit", "miss"))
    if sectors is None and hits is not None and misses is not None:
        sectors = hits + misses
    requests = total(metrics, f"{unit}__t_requests{which}")
    a_request = first(metrics, f"{unit}__average_t_sectors_per_request{which}.ratio")
    hit_rate = first(metrics, f"{unit}__t_sector{which}_hit_rate.pct")
    moved = total(metrics, f"{unit}__t_bytes{which}")
    moved_rate = rate(metrics, f"{unit}__t_bytes{which}")
    return {"Requests": requests, "Sectors": sectors,
            "Sectors/Request": over(sectors, requests) if a_request is None else a_request,
            "Hit Rate": times(over(hits, sectors), 100) if hit_rate is None else hit_rate,
            "Bytes": times(sectors, SECTOR) if moved is None else moved,
            "Throughput": times(rate(metrics, f"{unit}__t_sectors{which}"), SECTOR, 1e-9) if moved_rate is None
            else moved_rate / 1e9,
            "Missed Sectors": misses, "Of Peak": percent(metrics, f"{unit}__t_sectors{which}")}


def fits(column, number):
    """Whether a cell can hold it: whole numbers have 64 bits."""
    return number is not None and (column not in WHOLE or abs(number) < 2 ** 63)


def rows_of(rows):
    measured = {texts: row for texts, row in rows.items() if any(v is not None for v in row.values())}
    return {texts: {k: v for k, v in row.items() if fits(k, v)} for texts, row in measured.items()}


L1 = {"global load": ("global_ld", "_pipe_lsu_mem_global_op_ld", "global_op_ld"),
      "global load to shared": ("ldgsts", "_pipe_lsu_mem_global_op_ldgsts", None),
      "global store": ("global_st", "_pipe_lsu_mem_global_op_st", "global_op_st"),
      "global reduction": ("global_red", "_pipe_lsu_mem_global_op_red", None),
      "global atomic": ("global_atom", "_pipe_lsu_mem_global_op_atom", None),
      "local load": ("local_ld", "_pipe_lsu_mem_local_op_ld", "local_op_ld"),
      "local store": ("local_st", "_pipe_lsu_mem_local_op_st", "local_op_st"),
      "texture fetch": ("texture", "_pipe_tex_mem_texture", None),
      "surface load": ("surface_ld", "_pipe_tex_mem_surface_op_ld", None),
      "surface store": ("surface_st", "_pipe_tex_mem_surface_op_st", None),
      "surface reduction": ("surface_red", "_pipe_tex_mem_surface_op_red", None),
      "surface atomic": ("surface_atom", "_pipe_tex_mem_surface_op_atom", None)}
L2 = {"L1/TEX load": "_srcunit_tex_op_read", "L1/TEX store": "_srcunit_tex_op_write",
      "L1/TEX reduction": "_srcunit_tex_op_red", "L1/TEX atomic": "_srcunit_tex_op_atom", "L1/TEX total": "_srcunit_tex",
      "L1/TEX to device memory": "_srcunit_tex_aperture_device",
      "L1/TEX to system memory": "_srcunit_tex_aperture_sysmem", "L1/TEX to peer memory": "_srcunit_tex_aperture_peer",
      "other L2 partition": "_srcunit_ltcfabric", "all reads": "_op_read", "all writes": "_op_write",
      "all reductions": "_op_red", "all atomics": "_op_atom", "total": ""}


def memory_l1(metrics):
    rows = {}
    for name, (operation, which, useful) in L1.items():
        row = accesses(metrics, "l1tex", which)
        del row["Throughput"]
        row["Instructions"] = instructions(metrics, operation)
        if useful:
            row["Used of 32 Bytes"] = metrics.get(f"smsp__sass_average_data_bytes_per_sector_mem_{useful}.ratio")
        rows[name,] = row
    rows["loads of all kinds",] = {"Instructions": instructions(metrics, "ld")}
    rows["stores of all kinds",] = {"Instructions": instructions(metrics, "st")}
    rows["total",] = accesses(metrics, "l1tex", "")
    del rows["total",]["Throughput"]
    return rows_of(rows)


def memory_l2(metrics):
    return rows_of({(name,): accesses(metrics, "lts", which) for name, which in L2.items()})


def memory_shared(metrics):
    rows = {}
    for name, operation, suffix in (("load", "shared_ld", "_op_ld"), ("matrix load", "ldsm", "_op_ldsm"),
                                    ("store", "shared_st", "_op_st"), ("store of a global load", None, "_op_ldgsts"),
                                    ("atomic", "shared_atom", "_op_atom"), ("total", "shared", "")):
        def counted(what, suffix=suffix):
            names = [f"l1tex__{what}_mem_shared{suffix}", f"smsp__sass_l1tex_{what}_mem_shared{suffix}",
                     f"sm__sass_l1tex_{what}_mem_shared{suffix}"]
            return next((t for t in (total(metrics, n) for n in names) if t is not None), None)
        passes, needed = counted("data_pipe_lsu_wavefronts"), None
        if name == "total":
            needed = metrics.get("memory_l1_wavefronts_shared_ideal")
            passes = metrics.get("memory_l1_wavefronts_shared") if passes is None else passes
        executed = operation and instructions(metrics, operation)
        rows[name,] = {"Instructions": executed, "Wavefronts": passes, "Needed Wavefronts": needed,
                       "Wavefronts/Instruction": over(passes, executed),
                       "Bank Conflicts": counted("data_bank_conflicts_pipe_lsu"),
                       "Of Peak": percent(metrics, f"l1tex__data_pipe_lsu_wavefronts_mem_shared{suffix}")}
    return rows_of(rows)


def dram(metrics, direction):
    names = [f"_{direction}", f"_op_{direction}"] if direction else [""]
    def find(function, what):
        return next((v for v in (function(metrics, f"dram__{what}{n}") for n in names) if v is not None), None)
    sectors, moved = find(total, "sectors"), find(total, "bytes")
    return {"Sectors": sectors, "Bytes": times(sectors, SECTOR) if moved is None else moved,
            "Throughput": times(find(rate, "bytes"), 1e-9), "Of Peak": find(percent, "bytes")}


def dram_total(metrics):
    both, reads, writes = dram(metrics, ""), dram(metrics, "read"), dram(metrics, "write")
    for column in ("Sectors", "Bytes", "Throughput"):
        if both[column] is None and None not in (reads[column], writes[column]):
            both[column] = reads[column] + writes[column]
    return both


def memory_dram(metrics):
    both = dram_total(metrics)
    if both["Of Peak"] is None:
        both["Of Peak"] = first(metrics, "dram__throughput.avg.pct_of_peak_sustained_elapsed",
                                "gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed")
    return rows_of({("read",): dram(metrics, "read"), ("write",): dram(metrics, "write"), ("total",): both})


def memory_chart(metrics):
    rows = {}
    links = {("L1/TEX", "kernel", "global loads"): "global load", ("kernel", "L1/TEX", "global stores"): "global store",
             ("kernel", "L1/TEX", "global reductions"): "global reduction",
             ("kernel", "L1/TEX", "global atomics"): "global atomic", ("L1/TEX", "kernel", "local loads"): "local load",
             ("kernel", "L1/TEX", "local stores"): "local store", ("L1/TEX", "kernel", "texture fetches"): "texture fetch",
             ("L1/TEX", "kernel", "surface loads"): "surface load",
             ("kernel", "L1/TEX", "surface stores"): "surface store",
             ("L1/TEX", "shared", "loads to shared"): "global load to shared"}
    for texts, name in links.items():
        operation, which, _ = L1[name]
        row = accesses(metrics, "l1tex", which)
        rows[texts] = {k: row[k] for k in ("Requests", "Bytes", "Throughput", "Hit Rate", "Of Peak")}
        rows[texts]["Instructions"] = instructions(metrics, operation)
    for texts, operation in ((("shared", "kernel", "shared loads"), "shared_ld"),
                             (("kernel", "shared", "shared stores"), "shared_st"),
                             (("kernel", "shared", "shared atomics"), "shared_atom"),
                             (("L1/TEX", "kernel", "loads of all kinds"), "ld"),
                             (("kernel", "L1/TEX", "stores of all kinds"), "st")):
        rows[texts] = {"Instructions": instructions(metrics, operation)}
    for texts, names in (
            (("L2", "L1/TEX", "reads"), (("l1tex__m_xbar2l1tex_read_bytes", 1), ("l1tex__m_xbar2l1tex_read_sectors", 32),
                                         ("lts__t_sectors_srcunit_tex_op_read", 32))),
            (("L1/TEX", "L2", "writes"), (("l1tex__m_l1tex2xbar_write_bytes", 1),
                                          ("l1tex__m_l1tex2xbar_write_sectors", 32),
                                          ("lts__t_sectors_srcunit_tex_op_write", 32))),
            (("device memory", "L2", "reads"), (("dram__bytes_read", 1), ("dram__bytes_op_read", 1))),
            (("L2", "device memory", "writes"), (("dram__bytes_write", 1), ("dram__bytes_op_write", 1))),
            (("system memory", "L2", "misses"), (("syslts__t_sectors_srcunit_tex_aperture_sysmem_lookup_miss", 32),
                                                 ("lts__t_sectors_srcunit_tex_aperture_sysmem_lookup_miss", 32))),
            (("peer GPUs", "L2", "misses"), (("syslts__t_sectors_srcunit_tex_aperture_peer_lookup_miss", 32),
                                             ("lts__t_sectors_srcunit_tex_aperture_peer_lookup_miss", 32))),
            (("system memory", "L2", "PCIe reads"), (("pcie__read_bytes", 1),)),
            (("L2", "system memory", "PCIe writes"), (("pcie__write_bytes", 1),)),
            (("peer GPUs", "L2", "NVLink received"), (("nvlrx__bytes", 1),)),
            (("L2", "peer GPUs", "NVLink sent"), (("nvltx__bytes", 1),))):
        for counter, size in names:
            row = {"Bytes": times(total(metrics, counter), size), "Throughput": times(rate(metrics, counter), size, 1e-9),
                   "Of Peak": percent(metrics, counter)}
            if any(v is not None for v in row.values()):
                rows[texts] = row
                break
    for unit, row, shares in (
            ("L1/TEX", accesses(metrics, "l1tex", ""), ("l1tex__throughput.avg.pct_of_peak_sustained_elapsed",
                                                        "l1tex__throughput.avg.pct_of_peak_sustained_active")),
            ("L2", accesses(metrics, "lts", ""), ("lts__throughput.avg.pct_of_peak_sustained_elapsed",)),
            ("device memory", dram_total(metrics), ("gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed",
                                                    "dram__throughput.avg.pct_of_peak_sustained_elapsed"))):
        kept = {k: v for k, v in row.items() if k in ("Requests", "Bytes", "Throughput", "Hit Rate")}
        rows[unit, "", "all"] = kept | {"Of Peak": first(metrics, *shares)}
    return rows_of(rows)


# ---- occupancy

def launch_of(metrics, attributes):
    """A launch as occupancy.py takes it; None where something is not known."""
    def whole(name):
        return None if metrics.get(name) is None else int(metrics[name])
    fixed, dynamic = whole("launch__shared_mem_per_block_static"), whole("launch__shared_mem_per_block_dynamic")
    gpu = gpu_of(attributes.get("device__attribute_compute_capability_major"),
                 attributes.get("device__attribute_compute_capability_minor"))
    if gpu is None or None in (fixed, dynamic, whole("launch__registers_per_thread"), whole("launch__block_size")):
        return None
    return Launch("", None, (whole("launch__block_size"), 1, 1), whole("launch__registers_per_thread"), fixed + dynamic,
                  whole("launch__shared_mem_config_size") or None, None, gpu)


def theoretical(metrics, attributes):
    """(blocks, warps, percent) by placing blocks on an SM, or None."""
    launch = launch_of(metrics, attributes)
    found = launch and occupancy(launch)
    return None if not found else (found[0], found[1], 100 * found[1] / launch.gpu.warps)


VIEWS = {"roofline": roofline, "memory_chart": memory_chart, "memory_shared": memory_shared, "memory_l1": memory_l1,
         "memory_l2": memory_l2, "memory_dram": memory_dram}


def table_of(view):
    """A view as dump_trace --views prints it, in the shape of this module."""
    columns = view["columns"]
    count = max((len(v) for v in columns.values()), default=0)
    texts = TEXTS[view["view"]]
    rows = {}
    for i in range(count):
        key = tuple(columns[t][i] for t in texts)
        rows[key] = {name: v[i] for name, v in columns.items() if name not in texts and v[i] is not None}
    return rows


TEXTS = {"roofline": ("Arithmetic", "Memory level", "Roof there"), "memory_chart": ("From", "To", "What"),
         "memory_shared": ("Shared memory",), "memory_l1": ("L1/TEX",), "memory_l2": ("L2",),
         "memory_dram": ("Device memory",)}
WHOLE = {"Instructions", "Requests", "Sectors", "Bytes", "Missed Sectors", "Wavefronts", "Needed Wavefronts",
         "Bank Conflicts"}


def differences(view, metrics):
    """(values compared, what is different) of one view of one kernel."""
    expected = VIEWS[view["view"]](metrics)
    if "error" in view:
        wrong = [f"{view['view']}: nothing shown, expected {expected}"] if expected else []
        return 1, wrong + ([] if "not collected" in view["error"] else [f"{view['view']}: {view['error']}"])
    shown = table_of(view)
    found = [f"{view['view']} {key}: shown {key in shown}, expected {key in expected}" for key in shown.keys() ^ expected]
    compared = 0
    for key in shown.keys() & expected:
        for column in shown[key].keys() | expected[key]:
            compared += 1
            ours, theirs = shown[key].get(column), expected[key].get(column)
            slack = 0.5000001 if column in WHOLE else 1e-9 * abs(theirs or 0)
            if ours is None or theirs is None or abs(ours - theirs) > slack:
                found.append(f"{view['view']} {key} {column}: shown {ours}, expected {theirs}")
    return compared, found
