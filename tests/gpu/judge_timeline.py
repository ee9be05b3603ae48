"""Compares counts and times of a recording with what the program does by construction, and with CUDA events."""

from _evidence import check, close
from judge_first import managed  # pylint: disable=unused-import

MARGIN_NS = 50_000  # between the clocks of host and GPU
OUTLIERS = 1
SIGTERM = 128 + 15


def counts(profile):
    return {name: count for name, (count, _) in profile.kernels().items()}


def same_kernels(part, name, code=0):
    profile, account = part.profile(name, code), part.account(name, code)
    check(counts(profile) == account["kernels"], f"{counts(profile)}, the program ran {account['kernels']}: {part.said(name)}")
    return profile, account


def work(part):
    """Kernels, copies, sets and ranges."""
    profile, account = same_kernels(part, "work")
    check({kind: row[:2] for kind, row in profile.copies().items()} == account["copies"], profile.copies())
    check(profile.sets()[0] == account["sets"], f"{profile.sets()}, the program made {account['sets']}")
    check(profile.counts() == {"step": 50}, profile.counts())
    return f"{sum(account['kernels'].values())} kernels, {sum(row[0] for row in account['copies'].values())} copies"


def distances_outside(profile, text):
    """How far each long kernel lies outside of the range that waited for it, in ns: 0 where it lies inside."""
    kernels = profile.rows("SELECT start, end FROM CUPTI_ACTIVITY_KIND_KERNEL WHERE end - start > 1000000 ORDER BY start")
    ranges = [(start, end) for name, start, end, _ in profile.ranges() if name == text]
    check(len(kernels) == len(ranges), f"{len(kernels)} kernels, {len(ranges)} ranges")
    return [max(0, outer[0] - inner[0], inner[1] - outer[1]) for inner, outer in zip(kernels, ranges)]


def event_times(part):
    """Kernels of 2 ms, each between two CUDA events: these take as long and what lies between them, some microseconds."""
    profile, account = part.profile("timed"), part.account("timed")
    ((count, ns),) = profile.rows("SELECT count(*), sum(end - start) FROM CUPTI_ACTIVITY_KIND_KERNEL WHERE end - start > "
                                  "1000000")
    check(count == 50, f"{count} kernels")
    close(ns / 1e6, account["event_ms"], 0.01, "milliseconds of kernels, by CUDA events")
    outside = sorted(distances_outside(profile, "timed"))
    far = [distance for distance in outside if distance > MARGIN_NS]
    check(len(far) <= OUTLIERS, f"{len(far)} kernels lie outside of the range that waited for them, by {far} ns")
    return f"{ns / 1e6:.3f} ms, events {account['event_ms']:.3f} ms; at most {outside[-1]} ns outside of their ranges"


def streams(part):
    profile, _ = same_kernels(part, "streams")
    ((used,),) = profile.rows("SELECT count(DISTINCT streamId) FROM CUPTI_ACTIVITY_KIND_KERNEL")
    check(used == 4, f"{used} streams")
    return "4 threads, 4 streams"


def graphs(part):
    profile, account = part.profile("graph"), part.account("graph")
    ((launches,),) = profile.rows("SELECT count(*) FROM CUPTI_ACTIVITY_KIND_GRAPH_TRACE") or [(0,)]
    check(launches == account["graph_launches"], f"{launches} launches: {part.said('graph')}")
    same_kernels(part, "nodes")
    return f"{launches} launches, {sum(account['kernels'].values())} nodes"


def capture_range(part):
    """Between cudaProfilerStart() and cudaProfilerStop()."""
    same_kernels(part, "range")


def late_duration(part):
    """Recorded from a second on: fewer kernels than ran, and the GPU is described."""
    profile, account = part.profile("late"), part.account("late")
    found, ran = counts(profile).get("spin", 0), account["kernels"]["spin"]
    check(0 < found < ran, f"{found} of {ran} kernels: {part.said('late')}")
    check(profile.rows("SELECT name FROM TARGET_INFO_GPU"), "the profile does not describe the GPU")
    return f"{found} of {ran} kernels"


def two_ranges(part, name):
    """Each of the two profiles has the 20 kernels of its range, and they lie in it."""
    part.done(name)
    worst = 0
    for number in (1, 2):
        profile = part.profile_of(f"{name}.{number}.sqlite")
        check(list(counts(profile).values()) == [20], f"range {number}: {counts(profile)}: {part.said(name)}")
        ((_, start, end, _),) = [row for row in profile.ranges() if row[0] == "range"]
        for first, last in profile.rows("SELECT start, end FROM CUPTI_ACTIVITY_KIND_KERNEL"):
            worst = max(worst, start - first, last - end)
    check(worst <= MARGIN_NS, f"kernels lie up to {worst} ns outside of their range")
    return f"20 kernels in each; at most {worst} ns outside of their range"


def repeated_ranges(part):
    return two_ranges(part, "idle")


def idle_minute(part):
    return two_ranges(part, "idle")


def sessions(part):
    found = []
    for number in (1, 2):
        part.done(f"start_{number}")
        part.done(f"stop_{number}")
        kernels = counts(part.profile_of(f"session_{number}.sqlite")).get("spin", 0)
        check(kernels > 0, f"the recording {number} has no kernels: {part.text('launch.err')}")
        found.append(str(kernels))
    return f"{' and '.join(found)} kernels"


def memory_usage(part):
    profile = part.profile("memory")
    ((count,),) = profile.rows("SELECT count(*) FROM CUDA_GPU_MEMORY_USAGE_EVENTS") or [(0,)]
    check(count >= 2, f"{count} allocations: {part.said('memory')}")
    return f"{count} allocations and releases"


def two_contexts(part):
    profile, _ = same_kernels(part, "twoctx")
    ((used,),) = profile.rows("SELECT count(DISTINCT contextId) FROM CUPTI_ACTIVITY_KIND_KERNEL")
    check(used == 2, f"{used} contexts")
    return "2 contexts"


def reset(part):
    """The context of the first half is gone when the second begins."""
    same_kernels(part, "reset")


def plain_exit(part):
    """_exit() a second and a half after the last kernel."""
    same_kernels(part, "exit")


def sigterm(part):
    same_kernels(part, "sigterm", SIGTERM)


def million(part):
    """Launched as fast as they go."""
    _, account = same_kernels(part, "many")
    return f"{sum(account['kernels'].values())} kernels"
