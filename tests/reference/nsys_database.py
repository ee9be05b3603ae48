"""An nsys SQLite export of any schema as a few tables with the same columns, made by SQL in a temporary database.

Tables: kernel, copy, memset, graph, api, nvtx, osrt, device, thread, cpu_fault, gpu_fault. What a file does not have is
empty or NULL. `process` is the whole globalPid shifted by its thread bits (pids alone repeat between hosts).
"""

import pathlib
import re
import sqlite3

COPY_KINDS = {1: "Host-to-Device", 2: "Device-to-Host", 3: "Host-to-Array", 4: "Array-to-Host", 5: "Array-to-Array",
              6: "Array-to-Device", 7: "Device-to-Array", 8: "Device-to-Device", 9: "Host-to-Host", 10: "Peer-to-Peer",
              11: "Unified Host-to-Device", 12: "Unified Device-to-Host", 13: "Unified Device-to-Device"}
MEMORY_KINDS = {0: "Pageable", 1: "Pinned", 2: "Device", 3: "Array", 4: "Managed", 5: "Device Static",
                6: "Managed Static", 7: "Unknown"}
PUSH_POP, START_END, DOMAIN = 59, 60, 75


def open_database(path):
    db = sqlite3.connect(":memory:", uri=True)
    db.execute("ATTACH ? AS f", [f"{pathlib.Path(path).absolute().as_uri()}?immutable=1"])
    names_table(db, "copy_kind", COPY_KINDS)
    names_table(db, "memory_kind", MEMORY_KINDS)
    gpu_tables(db)
    cpu_tables(db)
    nvtx_table(db)
    device_table(db)
    fault_tables(db)
    return db


def names_table(db, name, values):
    db.execute(f"CREATE TABLE {name}(id INTEGER PRIMARY KEY, name TEXT)")
    db.executemany(f"INSERT INTO {name} VALUES(?, ?)", values.items())


def columns(db, table):
    return {row[1] for row in db.execute(f"PRAGMA f.table_info({table})")}


def make(db, name, source, wanted, rest=""):
    """Table `name` from `source`; `wanted`: {column: expression over s}; each `s.column` that the file lacks is NULL."""
    present = columns(db, source)
    if not present:
        db.execute(f"CREATE TABLE {name}({', '.join(wanted)})")
        return
    selected = []
    for column, expression in wanted.items():
        for part in sorted(set(words_after_s(expression)) - present - {"rowid"}, key=len, reverse=True):
            expression = expression.replace(f"s.{part}", "NULL")
        selected.append(f"{expression} AS {column}")
    db.execute(f"CREATE TABLE {name} AS SELECT {', '.join(selected)} FROM f.{source} s {rest}")


def words_after_s(expression):
    return re.findall(r"\bs\.(\w+)", expression)


def text_of(column):
    return f"(SELECT value FROM f.StringIds WHERE id = {column})"


def same(*names):
    return {name: f"s.{name}" for name in names}


def gpu_tables(db):
    common = {"start": "s.start", "end": "s.end", "device": "s.deviceId", "context": "s.contextId",
              "green": "nullif(s.greenContextId, 0)", "stream": "s.streamId", "correlation": "s.correlationId",
              "process": "s.globalPid >> 24"}
    make(db, "kernel", "CUPTI_ACTIVITY_KIND_KERNEL", common | {
        "demangled": text_of("s.demangledName"), "short": text_of("s.shortName"),
        "mangled": f"coalesce({text_of('s.mangledName')}, {text_of('s.demangledName')})",
        "registers": "s.registersPerThread", "static": "s.staticSharedMemory", "dynamic": "s.dynamicSharedMemory",
        "carve_out": "nullif(s.sharedMemoryExecuted, 0)"}
        | same("gridX", "gridY", "gridZ", "blockX", "blockY", "blockZ", "clusterX", "clusterY", "clusterZ"))
    make(db, "copy", "CUPTI_ACTIVITY_KIND_MEMCPY", common | {
        "bytes": "s.bytes", "kind": "s.copyKind", "address": "s.virtualAddress",
        "name": "'[CUDA memcpy ' || coalesce((SELECT name FROM copy_kind WHERE id = s.copyKind), 'Unknown') || ']'",
        "source": "(SELECT name FROM memory_kind WHERE id = s.srcKind)",
        "target": "(SELECT name FROM memory_kind WHERE id = s.dstKind)"})
    make(db, "memset", "CUPTI_ACTIVITY_KIND_MEMSET", common | {
        "bytes": "s.bytes", "name": "'[CUDA memset]'",
        "memory": "(SELECT name FROM memory_kind WHERE id = s.memKind)"})
    make(db, "graph", "CUPTI_ACTIVITY_KIND_GRAPH_TRACE", common)


def cpu_tables(db):
    # _v and four digits go (cudaMalloc_v3020); nsys prints cudaLaunchKernelExC_v11060 and cuMemcpyDtoD_v2 as they are.
    name = text_of("s.nameId")
    make(db, "api", "CUPTI_ACTIVITY_KIND_RUNTIME", {
        "start": "s.start", "end": "s.end", "correlation": "s.correlationId", "tid": "s.globalTid",
        "process": "s.globalTid >> 24", "result": "s.returnValue", "class": "s.eventClass",
        "name": f"CASE WHEN {name} GLOB '*_v[0-9][0-9][0-9][0-9]' THEN substr({name}, 1, length({name}) - 6) "
                f"ELSE {name} END"})
    # With CUDA backtraces on, old nsys stored each call twice: class 67 around the call of class 0 or 1.
    db.execute("CREATE INDEX api_by_correlation ON api(process, correlation)")
    db.execute("DELETE FROM api WHERE class = 67 AND EXISTS(SELECT 1 FROM api twin WHERE twin.process = api.process "
               "AND twin.correlation = api.correlation AND twin.class <> 67)")
    make(db, "osrt", "OSRT_API", {"start": "s.start", "end": "s.end", "name": name})
    make(db, "thread", "ThreadNames", {"tid": "s.globalTid", "priority": "s.priority", "name": text_of("s.nameId")})


def nvtx_table(db):
    """Closed ranges, named `domain:text`; the default domain, and one whose name the file lacks, is empty."""
    make(db, "nvtx_event", "NVTX_EVENTS", {
        "id": "s.rowid", "start": "s.start", "end": "s.end", "type": "s.eventType", "tid": "s.globalTid",
        "end_tid": "s.endGlobalTid", "domain": "s.domainId", "text": f"coalesce(s.text, {text_of('s.textId')})"})
    db.execute(f"CREATE TABLE domain AS SELECT tid >> 24 AS process, domain AS id, text FROM nvtx_event WHERE type = {DOMAIN}")
    db.execute(f"""
        CREATE TABLE nvtx AS
        SELECT id, start, end, tid, tid >> 24 AS process,
               end_tid IS NULL OR end_tid = tid AS same_thread,
               CASE type WHEN {PUSH_POP} THEN 'PushPop' ELSE 'StartEnd' END AS style,
               coalesce((SELECT d.text FROM domain d WHERE d.id = e.domain AND d.process = e.tid >> 24), '')
               || ':' || coalesce(text, '') AS name
        FROM nvtx_event e WHERE type IN ({PUSH_POP}, {START_END}) AND end IS NOT NULL""")


def device_table(db):
    """device(process, id, name, gpu): CUDA's ordinal in a process (NULL: in every process), that GPU's name and its row in
    gpu; gpu(id, name, ordinal, processors, limits...)."""
    have = columns(db, "TARGET_INFO_GPU")
    key = "id" if "id" in have else "deviceId"
    gpu_limits = {"major": "s.computeMajor", "minor": "s.computeMinor", "warps": "s.maxWarpsPerSm",
                  "blocks": "s.maxBlocksPerSm", "registers": "s.maxRegistersPerSm", "shared": "s.maxShmemPerSm",
                  "optin": "s.maxShmemPerBlockOptin", "threads": "s.maxThreadsPerBlock", "warp_size": "s.threadsPerWarp"}
    make(db, "gpu", "TARGET_INFO_GPU", {"id": f"s.{key}", "name": "s.name", "ordinal": "s.cuDevice",
                                        "processors": "s.smCount"} | gpu_limits)
    limits_of_2021(db)
    make(db, "device", "TARGET_INFO_CUDA_DEVICE", {
        "pid": "s.pid", "id": "s.cudaId", "name": "(SELECT name FROM gpu WHERE gpu.id = s.gpuId)", "gpu": "s.gpuId"})
    if not db.execute("SELECT 1 FROM device").fetchone():
        # cuDevice alone is ambiguous: other makers' adapters, which have no multiprocessors, carry 0 as well.
        ordinal = "ordinal" if "cuDevice" in have else "id"
        db.execute(f"INSERT INTO device SELECT NULL, {ordinal}, name, id FROM gpu WHERE processors IS NULL OR processors > 0")


def limits_of_2021(db):
    """TARGET_INFO_CUDA_GPU had them before TARGET_INFO_GPU did."""
    make(db, "old_gpu", "TARGET_INFO_CUDA_GPU", {
        "id": "s.deviceId", "processors": "s.numMultiprocessors", "major": "s.computeCapabilityMajor",
        "minor": "s.computeCapabilityMinor", "warps": "s.maxWarpsPerMultiprocessor",
        "blocks": "s.maxBlocksPerMultiprocessor", "registers": "s.maxRegistersPerMultiprocessor",
        "shared": "s.maxSharedMemoryPerMultiprocessor", "threads": "s.maxThreadsPerBlock",
        "warp_size": "s.numThreadsPerWarp"})
    names = ("processors", "major", "minor", "warps", "blocks", "registers", "shared", "threads", "warp_size")
    for name in names:
        db.execute(f"UPDATE gpu SET {name} = coalesce((SELECT o.{name} FROM old_gpu o WHERE o.id = gpu.id), {name})")


def fault_tables(db):
    make(db, "cpu_fault", "CUDA_UM_CPU_PAGE_FAULT_EVENTS", {
        "address": "s.address", "instruction": "coalesce(s.CpuInstruction, s.originalFaultPc)"})
    make(db, "gpu_fault", "CUDA_UM_GPU_PAGE_FAULT_EVENTS", {"address": "s.address", "count": "s.numberOfPageFaults"})
