#!/usr/bin/env python3
"""Argues every finding of `sonde why` on every timeline of the test data but those of `h100` by raw rows (_profile_rows.py):
each place that a finding shows is what the finding says, its sums are those of the rows, and what findings save together is
not more than the time in which the GPU could work on something else. A finding without a claim here fails.

usage: SONDE_TEST_DATA=FOLDER [SONDE=PROGRAM] every_finding.py [-v] [PART OF A FILE'S NAME...]
"""

import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "reference"))

import compare
from _profile_rows import Profile, length, overlap, union

US = 1000
ROUNDED = 2 * US  # traces in whole microseconds
SHORT = 10 * US
WORTH = 0.01
SYNC = re.compile(r"Synchronize")
LAUNCH = re.compile(r"Launch|Memcpy.*Async|Memset.*Async|Memcpy|Memset")
FULL_BLOCKS = 32  # an SM holds no more blocks: such a grid leaves no room
# multimem_*: symmetric memory of PyTorch; cross_device_reduce: all-reduce of vLLM.
COMMUNICATION = re.compile(r"nccl|multimem_|cross_device_reduce", re.I)
SINGLE = re.compile(r"sgemm|scudnn|f32f32_f32|_f32|float|gemmSN", re.I)
SIXTEEN_BITS = re.compile(r"[h](884|1688|16816)|_f16|bf16|half", re.I)
POINTWISE = re.compile(r"elementwise|pointwise|triton_poi", re.I)


class Part:
    """A judged part of a profile."""

    def __init__(self, rows, document):
        judged = document.get("judged", document)
        self.rows, self.document = rows, document
        self.start, self.end = judged["start_ns"], judged["end_ns"]
        self.wall = self.end - self.start
        self.findings = document["findings"]
        self.ops = [op for op in rows.ops if self.start <= op.start < self.end]
        self.kernels = [op for op in self.ops if op.kind == "kernel"]
        self.copies = [op for op in self.ops if op.kind == "copy"]

    def device(self, place):
        number = place.removeprefix("GPU ")
        known = {str(device): device for device in self.rows.busy}
        return known.get(number, next(iter(self.rows.busy)) if len(self.rows.busy) == 1 else None)

    def idle(self):
        """By GPU."""
        return [self.wall - overlap(busy, self.start, self.end) for busy in self.rows.busy.values()]

    def least_busy(self, device):
        """A GPU needs the time of its busiest stream, and that of kernels that leave no room for others."""
        work = [op for op in self.ops if op.device == device and not COMMUNICATION.search(op.name)]
        streams = {op.stream for op in work}
        busiest = max((length(union((o.start, min(o.end, self.end)) for o in work if o.stream == stream)) for stream in streams), default=0)
        if not self.rows.processors:
            return busiest
        full = [o for o in work if o.kind == "kernel" and o.blocks >= FULL_BLOCKS * self.rows.processors]
        return max(busiest, length(union((o.start, min(o.end, self.end)) for o in full)))

    def mean(self, per_gpu):
        return sum(per_gpu) / max(1, len(self.rows.busy))


def kernel_at(part, evidence, kind="kernel"):
    return next((op for op in part.rows.ops if op.kind == kind and abs(op.start - evidence["start_ns"]) <= US
                 and abs(op.end - evidence["end_ns"]) <= US), None)


def next_op(part, evidence):
    device = part.device(evidence["place"])
    return next((op for op in part.rows.ops if op.device == device and op.start >= evidence["end_ns"] - ROUNDED), None)


def covered(rows, evidence):
    """How much of the place is covered by these rows."""
    start, end = evidence["start_ns"], evidence["end_ns"]
    near = [(r.start, r.end) for r in rows if r.start < end and r.end > start]
    return overlap(union(near), start, end) / max(1, end - start)


def calls_of(part, evidence):
    """The calls of the thread that launches what runs next."""
    after = next_op(part, evidence)
    call = part.rows.call_of.get(after.key) if after else None
    return None if call is None else part.rows.by_thread[call.thread]


def in_or_after_call(part, evidence):
    """In such a call, or in the host work after one before the thread has launched the next operation."""
    calls = calls_of(part, evidence)
    if calls is None:
        return None
    launch = part.rows.call_of[next_op(part, evidence).key]
    if called(launch, evidence) and covered([launch], evidence) > 0.9:
        return True  # a copy that is waited for in its own call
    waits_and_launches = [c for c in calls if c.key != launch.key and (SYNC.search(c.name) or LAUNCH.search(c.name))]
    begun = [c for c in waits_and_launches if c.start <= evidence["start_ns"] + US]
    return bool(begun) and called(begun[-1], evidence)


def called(call, evidence):
    """nvprof stores numbers of calls, not names."""
    return call.name in ("", evidence["what"])


def queued(part, evidence):
    """Launched before: by a call that began before, or before the first that was recorded."""
    after = next_op(part, evidence)
    call = part.rows.call_of.get(after.key) if after else None
    if call is None:
        first = after and part.rows.first_launched(after.device, after.stream)
        return after is not None and (first is None or after.start < first)
    return call.start <= evidence["start_ns"] + ROUNDED


def in_call(part, evidence):
    calls = calls_of(part, evidence)
    if calls is None:
        return None
    if covered([c for c in calls if called(c, evidence)], evidence) > 0.9:
        return True
    # Ranges of the driver itself, such as lazy loading.
    return covered([r for r in part.rows.ranges if r.name == evidence["what"]], evidence) > 0.9 or None


def in_launch(part, evidence):
    calls = calls_of(part, evidence)
    return None if calls is None else covered([c for c in calls if LAUNCH.search(c.name)], evidence) > 0.9


def in_range(part, evidence):
    ranges = [r for r in part.rows.ranges if r.name == evidence["what"]]
    calls = calls_of(part, evidence) or []
    return covered(ranges, evidence) > 0.9 and covered(calls, evidence) < 0.1


def in_no_call(part, evidence):
    calls = calls_of(part, evidence)
    return None if calls is None else covered(calls, evidence) < 0.1


def before_input(part, evidence):
    after = next_op(part, evidence)
    return after is not None and after.direction == "HtoD" and after.bytes >= 4096 and in_no_call(part, evidence) is not False


def in_os_call(part, evidence):
    return covered([c for c in part.rows.os_calls if c.name == evidence["what"]], evidence) > 0.9


def before_migration(part, evidence):
    return next_op(part, evidence).direction == "managed"


def without_call(part, evidence):
    return part.rows.call_of.get(next_op(part, evidence).key) is None


IDLE = {
    "queued": queued, "queued_elsewhere": queued, "start": queued, "start_graph": queued, "launch": in_launch, "api": in_call,
    "allocation": in_call, "initialization": in_call, "load": in_call, "range": in_range, "data_loading": in_range, "own_code": in_range, "step_code": in_range,
    "host": in_no_call, "input": before_input, "os_call": in_os_call, "migration": before_migration,
    "unknown": without_call,
    "synchronization": in_or_after_call, "copy": in_or_after_call,
}  # fmt: skip


def idle(part, finding):
    cause = finding["id"].removeprefix("gpu_idle_")
    argued = 0
    for evidence in finding["evidence"]:
        busy = overlap(part.rows.busy[part.device(evidence["place"])], evidence["start_ns"], evidence["end_ns"])
        yield f"the GPU works for {busy} ns of {evidence}", busy <= ROUNDED
        right = IDLE[cause](part, evidence)
        argued += right is not None
        yield f"{cause} is not the cause of {evidence}", right is not False
    yield f"{argued} of {len(finding['evidence'])} places can be argued", 2 * argued >= len(finding["evidence"])


def is_a_kernel(what, accept):
    def check(part, finding):
        for evidence in finding["evidence"]:
            op = kernel_at(part, evidence)
            yield f"no kernel at {evidence}", op is not None
            yield f"{what} does not hold of {op}", op is not None and accept(part, op)
        yield "more than the kernels take", finding["ceiling_ns"] <= finding["arguments"]["time_ns"] + US

    return check


def waits(part, finding):
    """Each is a call of that name, after which its thread launches more."""
    for evidence in finding["evidence"]:
        at = evidence["start_ns"]
        call = next((c for c in part.rows.calls if abs(c.start - at) <= US and called(c, evidence)), None)
        yield f"no call at {evidence}", call is not None
        later = [c for c in part.rows.by_thread[call.thread] if c.start >= call.end and LAUNCH.search(c.name)] if call else []
        yield f"nothing is launched after {evidence}", bool(later)


def launches(part, finding):
    values = finding["arguments"]
    yield "a launch is faster than its work", values["host_ns"] > values["busy_ns"]
    yield "more than the host takes", finding["ceiling_ns"] <= 1.01 * values["launches"] * values["host_ns"]
    for evidence in finding["evidence"]:
        # Copies over the link run beside kernels: they give the GPU nothing to compute.
        device = part.device(evidence["place"])
        busy = overlap(union((o.start, o.end) for o in part.ops if o.device == device and o.direction not in ("HtoD", "DtoH")),
                       evidence["start_ns"], evidence["end_ns"])  # fmt: skip
        yield f"the GPU is not idle in {evidence}", busy < 0.9 * (evidence["end_ns"] - evidence["start_ns"])


def short_kernels(part, finding):
    """Short kernels of one stream with a call each, and nothing of the stream between them."""
    for evidence in finding["evidence"]:
        start, end, device = evidence["start_ns"], evidence["end_ns"], part.device(evidence["place"])
        first = next((o for o in part.ops if o.device == device and abs(o.start - start) <= US
                      and o.name == evidence["what"]), None)  # fmt: skip
        yield f"no kernel at {evidence}", first is not None
        run = [o for o in part.ops if first and o.device == device and o.stream == first.stream and start - US <= o.start < end]
        yield f"not only short kernels in {evidence}", all(o.kind == "kernel" and o.end - o.start <= SHORT for o in run)
        yield f"{len(run)} kernels in {evidence}", len(run) >= 4
        keys = {o.key for o in run}
        yield f"one call launches several of {evidence}", len(keys) == len(run)
        others = [o for o in part.ops if o.key in keys and o not in run]
        yield f"their calls launch {len(others)} others", not others
        if finding["id"] == "tiny_kernels":
            yield f"other names in {evidence}", len({o.name for o in run}) == 1


def pageable(part, finding):
    copies = [o for o in part.copies if o.pageable and o.direction in ("HtoD", "DtoH")]
    values = finding["arguments"]
    wanted = [o for o in copies if o.bytes]
    yield f"{values['bytes']} of {sum(o.bytes for o in wanted)} pageable bytes", values["bytes"] <= sum(o.bytes for o in wanted)
    yield f"{values['count']} of {len(wanted)} copies", values["count"] <= len(wanted)
    yield "a link of more than 64 GB/s", finding["ceiling_ns"] <= values["time_ns"] - values["bytes"] / 64 + 1


def exposed(part, finding):
    """Copies while no kernel runs."""
    alone = []
    for device in part.rows.busy:
        kernels = union((o.start, o.end) for o in part.rows.ops if o.device == device and o.kind in ("kernel", "graph"))
        copies = union((o.start, min(o.end, part.end)) for o in part.copies if o.device == device)
        alone.append(sum(e - s - overlap(kernels, s, e) for s, e in copies))
    printed, wanted = finding["arguments"]["time_ns"], part.mean(alone)
    yield f"{printed}, by the rows {alone}", abs(printed - wanted) <= 0.02 * wanted


def communication(part, finding):
    """Communication kernels while nothing computes."""
    alone = []
    for device in part.rows.busy:
        mine = [o for o in part.ops if o.device == device and o.kind == "kernel"]
        computing = union((o.start, o.end) for o in mine if not COMMUNICATION.search(o.name))
        talking = union((o.start, min(o.end, part.end)) for o in mine if COMMUNICATION.search(o.name))
        alone.append(sum(e - s - overlap(computing, s, e) for s, e in talking))
    yield f"{finding['ceiling_ns']}, by the rows {alone}", finding["ceiling_ns"] <= 1.01 * part.mean(alone)


def shares(ops):
    """Time by name, in which each nanosecond is shared by the operations of a GPU that run in it."""
    edges = sorted([(o.start, 1, i) for i, o in enumerate(ops)] + [(o.end, 0, i) for i, o in enumerate(ops)])
    running, before, by_name = set(), 0, {}
    for at, begins, i in edges:
        for other in running:
            name = (ops[other].kind, ops[other].name)
            by_name[name] = by_name.get(name, 0) + (at - before) / len(running)
        before = at
        running.add(i) if begins else running.discard(i)
    return by_name


def dominant(part, finding):
    by_name = {}
    for device in part.rows.busy:
        for name, time in shares([o for o in part.ops if o.device == device]).items():
            by_name[name] = by_name.get(name, 0) + time
    share = 100 * max(time for (kind, _), time in by_name.items() if kind == "kernel") / sum(by_name.values())
    printed = finding["arguments"]["share_percent"]
    yield f"{printed} %, by the rows {share} %", abs(printed - share) <= 0.5


def straggler(part, finding):
    """A place lasts from the entry of the GPU that waits to that of the late one."""
    late = part.device(finding["arguments"]["gpu"])
    for evidence in finding["evidence"]:
        yield f"{evidence} is on the late GPU", part.device(evidence["place"]) != late
        starts = {(o.device, o.start) for o in part.kernels if o.name == evidence["what"]}
        waits = (part.device(evidence["place"]), evidence["start_ns"]) in starts and (late, evidence["end_ns"]) in starts
        yield f"no kernel of the late GPU ends the wait {evidence}", waits


def copied(part, finding):
    wanted = sum(o.end - o.start for o in part.copies if o.direction in ("HtoD", "DtoH"))
    values = finding["arguments"]
    printed = values["time_ns"] if "time_ns" in values else values["up_ns"] + values["down_ns"]
    yield f"{printed} ns of copies, by the rows {wanted}", 0.9 * wanted <= printed <= 1.001 * wanted


def zeroed(part, finding):
    """Operators that set memory to zero fill the place but for Python's pauses between them."""
    for evidence in finding["evidence"]:
        inside = [r for r in part.rows.ranges if r.name == evidence["what"]
                  and evidence["start_ns"] - US <= r.start < evidence["end_ns"]]
        yield f"{len(inside)} of {evidence['what']} from {evidence['start_ns']} ns", len(inside) >= 8 or "foreach" in evidence["what"]


def below_grid(part, op):
    return part.rows.processors is None or op.blocks < part.rows.processors


def is_float32(part, op):
    """By the kernel's name; whoever has 16 bits has no float32."""
    return bool(SINGLE.search(op.name) or re.search(r"tf32|tensorop_s1688gemm_\d|^_Z.*I(Li\dE)?ff", op.name, re.I)) and not SIXTEEN_BITS.search(op.name)


def chained(part, finding):
    """The place begins with the kernel that it names, and all in it are pointwise."""
    for evidence in finding["evidence"]:
        start, end = evidence["start_ns"] - US, evidence["end_ns"] + US
        device = part.device(evidence["place"])
        inside = [op for op in part.kernels if op.device == device and start <= op.start and op.end <= end]
        yield f"no chain from {start} ns", bool(inside) and inside[0].start <= start + ROUNDED
        for op in inside:
            yield f"{op.name[:80]} is not pointwise", op.stream != inside[0].stream or bool(POINTWISE.search(op.name))


CLAIMS = {
    "sync_in_loop": waits, "sync_copy": waits, "launch_bound": launches, "tiny_kernels": short_kernels,
    "repeated_sequence": short_kernels, "pageable_copy": pageable, "exposed_copy": exposed,
    "communication_or_waiting": communication, "dominant_kernel": dominant, "straggler_host": straggler,
    "copy_round_trip": copied, "zero_grad": zeroed, "serial_directions": copied,
    "small_grid": is_a_kernel("fewer blocks than SMs", below_grid),
    "small_block": is_a_kernel("a warp at most", lambda part, op: op.threads <= 32),
    "tail_wave": is_a_kernel("more than a wave", lambda part, op: part.rows.processors is None or op.blocks > part.rows.processors),
    "float32_matmul": is_a_kernel("float32", is_float32), "float32_work": is_a_kernel("float32", is_float32),
    "pointwise_chain": chained, "pointwise_chain_same_grid": chained,
    "below_roofline_attention": is_a_kernel("attention", lambda part, op: bool(re.search("flash|attn|fmha", op.name, re.I))),
}  # fmt: skip
WAITS = ("sync_in_loop", "sync_copy", "redundant_sync", "launch_bound")


def sums(part):
    """What findings save together."""
    idle_found = sum(f["ceiling_ns"] for f in part.findings if f["id"].startswith("gpu_idle_"))
    most_idle = part.mean(part.idle())
    yield f"idle for {most_idle} ns, by the findings {idle_found}", idle_found <= most_idle + US * (1 + len(part.findings))
    shared = idle_found + sum(f["ceiling_ns"] for f in part.findings if f["id"] in WAITS)
    room = max((part.wall - part.least_busy(device) for device in part.rows.busy), default=0)
    yield f"{room} ns could be saved without waits, by the findings {shared}", shared <= room + US * (1 + len(part.findings))
    together = sum(f["ceiling_ns"] for f in part.findings)
    yield f"{together} ns of {part.wall}", together <= part.wall + US


def mistakes(part):
    for finding in part.findings:
        claim = idle if finding["id"].startswith("gpu_idle_") else CLAIMS.get(finding["id"])
        if claim is None:
            yield f"{finding['id']}: nothing argues it"
            continue
        yield from (f"{finding['id']}: {what}" for what, right in claim(part, finding) if not right)
    yield from (what for what, right in sums(part) if not right)


def check(path, decode):
    """(number of findings, what does not hold)"""
    document = compare.why_as_recorded(path)
    if not document["findings"] and not document["other_parts"]:
        return 0, []
    rows = Profile(path, decode)
    parts = [Part(rows, part) for part in (document, *document["other_parts"])]
    return sum(len(part.findings) for part in parts), [line for part in parts for line in mistakes(part)]


def main():
    decode, verbose = compare.decoder("decode_nsys"), "-v" in sys.argv
    if verbose:
        sys.argv.remove("-v")
    names = (".sqlite", ".nsys-rep", ".qdrep", ".json.gz", ".json", ".db", ".nvprof", ".nvvp")
    files = [path for folder in ("pairs", "nsys_rep", "nsys_sqlite", "kineto") for path in compare.data_folder(folder).iterdir()
             if path.name.endswith(names)]
    findings = wrong = 0
    for path in compare.selected(files):
        count, lines = check(path, decode)
        findings, wrong = findings + count, wrong + len(lines)
        print(f"{'WRONG' if lines else 'ok':8}{path.name}: {count} findings")
        for line in lines if verbose else lines[:5]:
            print("    " + line[:400])
    print(f"{findings} findings argued, {wrong} mistakes")
    return 1 if wrong or not findings else 0


if __name__ == "__main__":
    sys.exit(main())
