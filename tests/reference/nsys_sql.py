#!/usr/bin/env python3
"""The reports of `nsys stats` by plain SQL over an nsys SQLite export: what Sonde's own reports are checked against.

usage: nsys_sql.py FILE.sqlite REPORT[:base|:mangled|:rows=N]

Meaning and columns: NVIDIA's Post-Collection Analysis Guide, "Statistical Reports Shipped With Nsight Systems". What
that leaves open, and where each answer is from, is in README.md.
"""

import sys
from fractions import Fraction

import occupancy
import tables
from nsys_database import open_database
from tables import Report, cell, dimensions, grouped, megabytes, rounded

NAME_COLUMNS = {"": "demangled", "base": "short", "mangled": "mangled"}
LAUNCH = "JOIN api a ON a.process = k.process AND a.correlation = k.correlation AND k.correlation <> 0"
RANGE_COLUMNS = ("RangeId", "ParentId", "RangeStack")


def durations(db, sql):
    """Query of (duration, name...) -> {name: [duration]}."""
    return grouped((tuple(row[1:]), row[0]) for row in db.execute(sql))


def cuda_gpu_kern_sum(db, argument=""):
    name = NAME_COLUMNS[argument]
    return tables.time_summary(durations(db, f"SELECT end - start, {name} FROM kernel"), "Instances", ["Name"])


def cuda_gpu_kern_gb_sum(db, argument=""):
    rows = db.execute(f"SELECT end - start, gridX, gridY, gridZ, blockX, blockY, blockZ, {NAME_COLUMNS[argument]} FROM kernel")
    groups = grouped(((dimensions(*row[1:4]), dimensions(*row[4:7]), row[7]), row[0]) for row in rows)
    return tables.time_summary(groups, "Instances", ["GridXYZ", "BlockXYZ", "Name"])


GPU_LIMITS = ("major", "minor", "processors", "warps", "blocks", "registers", "shared", "optin", "threads", "warp_size")


def cuda_gpu_kern_occ_sum(db, argument=""):
    gpus = {row[0]: occupancy.gpu_of(*row[1:]) for row in db.execute(f"SELECT id, {', '.join(GPU_LIMITS)} FROM gpu")}
    rows = db.execute(f"""
        SELECT end - start, {NAME_COLUMNS[argument]}, registers, static + dynamic, carve_out, green,
               (SELECT d.gpu FROM device d WHERE d.id = kernel.device AND (d.pid IS NULL OR d.pid = process & 0xFFFFFF) LIMIT 1),
               gridX, gridY, gridZ, blockX, blockY, blockZ, clusterX, clusterY, clusterZ FROM kernel""")
    launches = []
    for time, name, registers, shared, carve_out, green, gpu, *size in rows:
        limits = gpus.get(gpu)
        if limits is not None and green is not None:
            limits = limits._replace(sms=None)
        cluster = tuple(size[6:]) if size[6] else None
        launches.append((occupancy.Launch(name, tuple(size[:3]), tuple(size[3:6]), registers, shared, carve_out, cluster,
                                          limits), time))
    return occupancy.report(launches)


MEMORY_TIMES = "SELECT end - start, name FROM copy UNION ALL SELECT end - start, name FROM memset"


def cuda_gpu_mem_time_sum(db):
    return tables.time_summary(durations(db, MEMORY_TIMES), "Count", ["Operation"])


def cuda_gpu_mem_size_sum(db):
    return tables.size_summary(durations(db, "SELECT bytes, name FROM copy UNION ALL SELECT bytes, name FROM memset"))


def gpu_times(name):
    return (f"SELECT end - start, 'CUDA_KERNEL', {name} FROM kernel UNION ALL "
            f"SELECT duration, 'MEMORY_OPER', name FROM (SELECT end - start AS duration, name FROM copy "
            f"UNION ALL SELECT end - start, name FROM memset)")


def cuda_gpu_sum(db, argument=""):
    groups = durations(db, gpu_times(NAME_COLUMNS[argument]))
    return tables.time_summary(groups, "Instances", ["Category", "Operation"])


def cuda_api_gpu_sum(db, argument=""):
    groups = durations(db, f"SELECT end - start, 'CUDA_API', name FROM api UNION ALL {gpu_times(NAME_COLUMNS[argument])}")
    return tables.time_summary(groups, "Instances", ["Category", "Operation"])


def cuda_api_sum(db):
    return tables.time_summary(durations(db, "SELECT end - start, name FROM api"), "Num Calls", ["Name"])


def osrt_sum(db):
    return tables.time_summary(durations(db, "SELECT end - start, name FROM osrt"), "Num Calls", ["Name"])


def cuda_gpu_trace(db, argument=""):
    header = ("Start (ns),Duration (ns),CorrId,GrdX,GrdY,GrdZ,BlkX,BlkY,BlkZ,Reg/Trd,StcSMem (MB),DymSMem (MB),"
              "Bytes (MB),Throughput (MB/s),SrcMemKd,DstMemKd,Device,Ctx,GreenCtx,Strm,Name").split(",")
    # NVIDIA's own CSV fits bytes * floor(10^9 / duration) and not the exact quotient: 2097152 bytes in 10880 ns are
    # printed as 192751.337 MB/s.
    throughput = "bytes * (1000000000 / nullif(end - start, 0))"
    device = """coalesce((SELECT d.name || ' ' FROM device d WHERE d.id = op.device
                 AND (d.pid IS NULL OR d.pid = op.process & 0xFFFFFF) LIMIT 1), '') || '(' || device || ')'"""
    empty = ", ".join(["NULL"] * 9)
    rows = db.execute(f"""
        WITH op AS (
            SELECT *, {empty} FROM (SELECT start, end, device, context, green, stream, correlation, process,
                   gridX, gridY, gridZ, blockX, blockY, blockZ, registers, static, dynamic,
                   NULL AS bytes, NULL AS source, NULL AS target, {NAME_COLUMNS[argument]} AS name FROM kernel
            UNION ALL SELECT start, end, device, context, green, stream, correlation, process, {empty},
                   bytes, source, target, name FROM copy
            UNION ALL SELECT start, end, device, context, green, stream, correlation, process, {empty},
                   bytes, memory, NULL, name FROM memset))
        SELECT start, end - start, correlation, gridX, gridY, gridZ, blockX, blockY, blockZ, registers, static, dynamic,
               bytes, {throughput}, source, target, {device}, context, green, stream, name
        FROM op ORDER BY start""").fetchall()
    in_megabytes = range(10, 14)
    shown = [["" if value is None else megabytes(value) if i in in_megabytes else str(value)
              for i, value in enumerate(row)] for row in rows]
    return Report(header, shown, [row[0] for row in rows])


def cuda_api_trace(db):
    header = "Start (ns),Duration (ns),Name,Result,CorrID,Pid,Tid,T-Pri,Thread Name".split(",")
    rows = db.execute("""
        SELECT a.start, a.end - a.start, a.name, result, correlation, (a.tid >> 24) & 0xFFFFFF, a.tid & 0xFFFFFF,
               t.priority, t.name
        FROM api a LEFT JOIN thread t ON t.tid = a.tid ORDER BY a.start""").fetchall()
    return Report(header, [list(map(cell, row)) for row in rows], [row[0] for row in rows])


def kernel_launches(db, name):
    """One row a kernel whose launch is known: API start and end, kernel start and end, and what the reports show."""
    return db.execute(f"""
        SELECT a.start, a.end, k.start, k.end, (a.tid >> 24) & 0xFFFFFF, a.tid & 0xFFFFFF, device, a.name, k.{name},
               gridX, gridY, gridZ, blockX, blockY, blockZ
        FROM kernel k {LAUNCH} ORDER BY a.start, k.start""").fetchall()


def cuda_kern_exec_sum(db, argument=""):
    header = ["PID", "TID", "DevId", "Count", "QCount"]
    header += [title for prefix in "TAQK" for title in tables.statistics_header(prefix)] + ["API Name", "Kernel Name"]
    groups = grouped((row[4:9], row[:4]) for row in kernel_launches(db, NAME_COLUMNS[argument]))
    summary = []
    for (pid, tid, device, api, kernel), launches in groups.items():
        total = [max(api_end, end) - api_start for api_start, api_end, _, end in launches]
        in_api = [api_end - api_start for api_start, api_end, _, _ in launches]
        queued = [start - api_end for _, api_end, start, _ in launches if start > api_end]
        running = [end - start for _, _, start, end in launches]
        row = list(map(cell, (pid, tid, device, len(launches), len(queued))))
        for values in (total, in_api, queued, running):
            row += tables.time_statistics(values)
        summary.append((-Fraction(sum(total), len(total)), row + [api, kernel]))
    summary.sort(key=lambda item: (item[0], item[1][-1]))
    return Report(header, [row for _, row in summary], [key for key, _ in summary])


def cuda_kern_exec_trace(db, argument=""):
    header = ("API Start (ns),API Dur (ns),Queue Start (ns),Queue Dur (ns),Kernel Start (ns),Kernel Dur (ns),"
              "Total Dur (ns),PID,TID,DevId,API Function,GridXYZ,BlockXYZ,Kernel Name").split(",")
    rows, keys = [], []
    for row in kernel_launches(db, NAME_COLUMNS[argument]):
        api_start, api_end, start, end, pid, tid, device, api, kernel, *size = row
        queue = [api_end, start - api_end] if start > api_end else [None, None]
        values = [api_start, api_end - api_start, *queue, start, end - start, max(api_end, end) - api_start, pid, tid,
                  device, api, dimensions(*size[:3]), dimensions(*size[3:]), kernel]
        rows.append(list(map(cell, values)))
        keys.append(api_start)
    return Report(header, rows, keys)


def nvtx_sum(db):
    return tables.time_summary(durations(db, "SELECT end - start, style, name FROM nvtx"), "Instances", ["Style", "Range"])


def nvtx_pushpop_sum(db):
    groups = durations(db, "SELECT end - start, name FROM nvtx WHERE style = 'PushPop'")
    return tables.time_summary(groups, "Instances", ["Range"])


def nvtx_startend_sum(db):
    groups = durations(db, "SELECT end - start, name FROM nvtx WHERE style = 'StartEnd'")
    return tables.time_summary(groups, "Instances", ["Range"])


def nesting(db, condition):
    """{range id: parent's id or None} of the push/pop ranges under `condition`: the shortest range of the same thread,
    of any domain, that encloses it; of two that cover the same time the earlier recorded is outside."""
    db.execute("DROP TABLE IF EXISTS nested")
    db.execute(f"CREATE TABLE nested AS SELECT * FROM nvtx r WHERE style = 'PushPop' AND {condition}")
    db.execute("CREATE INDEX nested_by_time ON nested(tid, start)")
    return dict(db.execute("""
        SELECT r.id, (SELECT p.id FROM nested p
                      WHERE p.tid = r.tid AND p.start <= r.start AND p.end >= r.end AND p.id <> r.id
                      AND (p.end - p.start > r.end - r.start OR p.id < r.id)
                      ORDER BY p.end - p.start, p.id DESC LIMIT 1)
        FROM nested r"""))


def stack_of(range_id, parents):
    """Ids from the outermost range to this one."""
    stack = [range_id]
    while parents.get(stack[-1]) is not None:
        stack.append(parents[stack[-1]])
    return stack[::-1]


def nvtx_pushpop_trace(db):
    header = ("Start (ns),End (ns),Duration (ns),DurChild (ns),DurNonChild (ns),Name,PID,TID,Lvl,NumChild,RangeId,"
              "ParentId,RangeStack,NameTree").split(",")
    ranges = db.execute("""SELECT id, start, end, name, process & 0xFFFFFF, tid & 0xFFFFFF FROM nvtx
                           WHERE style = 'PushPop' ORDER BY start, end DESC""").fetchall()
    parents = nesting(db, "1")
    lengths = {row[0]: row[2] - row[1] for row in ranges}
    children = grouped((parent, lengths[child]) for child, parent in parents.items())
    rows = []
    for range_id, start, end, name, pid, tid in ranges:
        stack, below = stack_of(range_id, parents), children.get(range_id, [])
        values = [start, end, end - start, sum(below), end - start - sum(below), name, pid, tid, len(stack) - 1,
                  len(below), range_id, parents[range_id], "".join(f":{i}" for i in stack),
                  "--" * (len(stack) - 1) + name]
        rows.append(list(map(cell, values)))
    return Report(header, rows, [row[1] for row in ranges], RANGE_COLUMNS)


def make_projection(db):
    """projection(id, first, last, ops): ranges that begin and end on one thread, with the GPU work launched in them."""
    db.execute("DROP TABLE IF EXISTS projection")
    db.execute("DROP TABLE IF EXISTS launched")
    db.execute(f"""CREATE TABLE launched AS SELECT a.tid AS tid, a.start AS api_start, a.end AS api_end,
                   k.start AS start, k.end AS end FROM (
                       SELECT start, end, process, correlation FROM kernel
                       UNION ALL SELECT start, end, process, correlation FROM copy
                       UNION ALL SELECT start, end, process, correlation FROM memset
                       UNION ALL SELECT start, end, process, correlation FROM graph) k {LAUNCH}""")
    db.execute("CREATE INDEX launched_by_time ON launched(tid, api_start)")
    db.execute("""CREATE TABLE projection AS SELECT r.id AS id, min(l.start) AS first, max(l.end) AS last,
                  count(*) AS ops FROM nvtx r JOIN launched l
                  ON l.tid = r.tid AND l.api_start >= r.start AND l.api_start <= r.end AND l.api_end <= r.end
                  WHERE r.same_thread GROUP BY r.id""")


def projected_ranges(db):
    """(id, name, style, first, last, start, end, pid, tid, ops) of each range with GPU work, and nesting among them."""
    make_projection(db)
    ranges = db.execute("""SELECT r.id, name, style, first, last, start, end, process & 0xFFFFFF, tid & 0xFFFFFF, ops
                           FROM projection p JOIN nvtx r ON r.id = p.id ORDER BY first, start""").fetchall()
    return ranges, nesting(db, "r.id IN (SELECT id FROM projection)")


def nvtx_gpu_proj_trace(db):
    header = ("Name,Projected Start (ns),Projected Duration (ns),Orig Start (ns),Orig Duration (ns),Style,PID,TID,"
              "NumGPUOps,Lvl,NumChild,RangeId,ParentId,RangeStack").split(",")
    ranges, parents = projected_ranges(db)
    children = grouped((parent, child) for child, parent in parents.items())
    rows = []
    for range_id, name, style, first, last, start, end, pid, tid, ops in ranges:
        stack = stack_of(range_id, parents)
        values = [name, first, last - first, start, end - start, style, pid, tid, ops, len(stack) - 1,
                  len(children.get(range_id, [])), range_id, parents.get(range_id), "".join(f":{i}" for i in stack)]
        rows.append(list(map(cell, values)))
    return Report(header, rows, [row[3] for row in ranges], RANGE_COLUMNS)


def nvtx_gpu_proj_sum(db):
    header = (["Range", "Style", "Total Proj Time (ns)", "Total Range Time (ns)", "Range Instances"]
              + tables.statistics_header("Proj ") + ["Total GPU Ops", "Avg GPU Ops", "Avg Range Lvl", "Avg Num Child"])
    ranges, parents = projected_ranges(db)
    children = grouped((parent, child) for child, parent in parents.items())
    summary = []
    for (name, style), members in grouped(((row[1], row[2]), row) for row in ranges).items():
        projected = [row[4] - row[3] for row in members]
        ops = [row[9] for row in members]
        levels = [len(stack_of(row[0], parents)) - 1 for row in members]
        below = [len(children.get(row[0], [])) for row in members]
        averages = [rounded(tables.mean(values), 1) for values in (ops, levels, below)]
        row = [name, style, cell(sum(projected)), cell(sum(row[6] - row[5] for row in members)), cell(len(members)),
               *tables.time_statistics(projected), cell(sum(ops)), *averages]
        summary.append((-sum(projected), row))
    summary.sort(key=lambda item: (item[0], item[1][0]))
    return Report(header, [row for _, row in summary], [key for key, _ in summary])


def nvtx_kern_sum(db, argument=""):
    header = (["NVTX Range", "Style", "PID", "TID", "NVTX Inst", "Kern Inst", "Total Time (ns)"]
              + tables.statistics_header() + ["Kernel Name"])
    pairs = db.execute(f"""
        SELECT r.name, r.style, r.process & 0xFFFFFF, r.tid & 0xFFFFFF, k.{NAME_COLUMNS[argument]}, r.id, k.end - k.start
        FROM kernel k {LAUNCH} JOIN nvtx r ON r.tid = a.tid AND r.same_thread AND r.start <= a.start AND r.end >= a.end""")
    summary = []
    for (name, style, pid, tid, kernel), members in grouped((row[:5], row[5:]) for row in pairs).items():
        times = [time for _, time in members]
        row = [name, style, pid, tid, len({range_id for range_id, _ in members}), len(members), sum(times)]
        summary.append((-sum(times), list(map(cell, row)) + tables.time_statistics(times) + [kernel]))
    summary.sort(key=lambda item: (item[0], item[1][0], item[1][-1]))
    return Report(header, [row for _, row in summary], [key for key, _ in summary])


def um_sum(db, argument="rows=10"):
    header = ["Virtual Address", "HtoD Migration Size (MB)", "DtoH Migration Size (MB)", "CPU Page Faults",
              "GPU PageFaults", "Migration Throughput (MB/s)"]
    limit = int(argument.removeprefix("rows="))
    rows = db.execute("""
        WITH moved AS (SELECT address, sum(CASE kind WHEN 11 THEN bytes END) AS to_device,
                              sum(CASE kind WHEN 12 THEN bytes END) AS to_host, sum(bytes) AS bytes,
                              sum(end - start) AS time FROM copy WHERE kind IN (11, 12) GROUP BY address)
        SELECT address, to_device, to_host, (SELECT count(*) FROM cpu_fault f WHERE f.address = m.address),
               (SELECT sum(count) FROM gpu_fault f WHERE f.address = m.address), bytes, time
        FROM moved m ORDER BY bytes DESC, address""").fetchall()[:limit]
    shown = [[f"0x{address:X}", optional_megabytes(to_device), optional_megabytes(to_host), cell(cpu or None), cell(gpu),
              rounded(Fraction(bytes_ * 1000, time), 3) if time else ""]
             for address, to_device, to_host, cpu, gpu, bytes_, time in rows]
    return Report(header, shown, [(-row[5], row[0]) for row in rows])


def optional_megabytes(count):
    return "" if count is None else megabytes(count)


def um_total_sum(db):
    header = ["Total HtoD Migration Size (MB)", "Total DtoH Migration Size (MB)", "Total CPU Page Faults",
              "Total GPU PageFaults", "Minimum Virtual Address", "Maximum Virtual Address"]
    to_device, to_host, low, high = db.execute("""
        SELECT sum(CASE kind WHEN 11 THEN bytes END), sum(CASE kind WHEN 12 THEN bytes END), min(address), max(address)
        FROM copy WHERE kind IN (11, 12)""").fetchone()
    cpu = db.execute("SELECT count(*) FROM cpu_fault").fetchone()[0]
    gpu = db.execute("SELECT sum(count) FROM gpu_fault").fetchone()[0]
    if low is None and not cpu and not gpu:
        return Report(header, [], [])
    addresses = ["" if value is None else f"0x{value:X}" for value in (low, high)]
    row = [optional_megabytes(to_device), optional_megabytes(to_host), cell(cpu or None), cell(gpu), *addresses]
    return Report(header, [row], [0])


def um_cpu_page_faults_sum(db):
    rows = db.execute("SELECT count(*), instruction FROM cpu_fault GROUP BY instruction ORDER BY 1 DESC, 2").fetchall()
    shown = [[str(count), "" if address is None else f"0x{address:X}"] for count, address in rows]
    return Report(["CPU Page Faults", "CPU Instruction Address"], shown, [-row[0] for row in rows])


REPORTS = [cuda_api_gpu_sum, cuda_api_sum, cuda_api_trace, cuda_gpu_kern_gb_sum,
           cuda_gpu_kern_occ_sum, cuda_gpu_kern_sum, cuda_gpu_mem_size_sum, cuda_gpu_mem_time_sum, cuda_gpu_sum, cuda_gpu_trace, cuda_kern_exec_sum,
           cuda_kern_exec_trace, nvtx_gpu_proj_sum, nvtx_gpu_proj_trace, nvtx_kern_sum, nvtx_pushpop_sum,
           nvtx_pushpop_trace, nvtx_startend_sum, nvtx_sum, osrt_sum, um_cpu_page_faults_sum, um_sum, um_total_sum]
BY_NAME = {report.__name__: report for report in REPORTS}
WITH_ARGUMENTS = ["cuda_gpu_kern_sum:base", "cuda_gpu_kern_sum:mangled", "cuda_gpu_trace:base"]


def compute(db, report):
    name, _, argument = report.partition(":")
    return BY_NAME[name](db, argument) if argument else BY_NAME[name](db)


def main(arguments):
    if len(arguments) != 2 or arguments[1].partition(":")[0] not in BY_NAME:
        sys.exit(f"{__doc__}\nreports: {' '.join(BY_NAME)}")
    sys.stdout.write(tables.to_csv(compute(open_database(arguments[0]), arguments[1])))


if __name__ == "__main__":
    main(sys.argv[1:])
