"""One of everything: the commands succeeded and recorded what they were asked for. The other calls look closer."""

from _evidence import check, may_read_counters

from _cuda import Cuda


def probe(part):
    """The answers are the result: nothing in them is right or wrong."""
    found = []
    for name in part.steps():
        part.done(name)
        answers = part.text(f"{name}.answers")
        check("within cuInit" in answers, f"{name}: no answers: {part.said(name)}")
        found.append(f"{name} {'to its end' if answers.rstrip().endswith('done') else 'up to: ' + answers.splitlines()[-1]}")
    return "; ".join(found)


def has_kernels(part, name):
    count = sum(row[0] for row in part.profile(name).kernels().values())
    check(count > 0, f"no kernels: {part.said(name)}")
    return f"{count} kernels"


def self_test(part):
    return has_kernels(part, "self_test")


def timeline(part):
    return has_kernels(part, "timeline")


def graph_nodes(part):
    return has_kernels(part, "graph_nodes")


def late_start(part):
    """The GPU itself is described, although recording began after cuInit()."""
    told = has_kernels(part, "late_start")
    gpus = part.profile("late_start").rows("SELECT name, smCount FROM TARGET_INFO_GPU")
    check(gpus and gpus[0][0], "the profile does not describe the GPU")
    return f"{told}, {gpus[0]}"


def torch(part):
    return has_kernels(part, "torch")


def metrics_of(part, name):
    may_read_counters(part.said(name))
    rows = part.profile(name).rows("SELECT count(DISTINCT nameId) FROM SONDE_KERNEL_METRIC")
    check(rows and rows[0][0] > 0, f"nothing was measured: {part.said(name)}")
    return f"{rows[0][0]} metrics"


def counters(part):
    return metrics_of(part, "counters")


def source_lines(part):
    return metrics_of(part, "source_lines")


def instructions(part):
    return metrics_of(part, "instructions")


def gpu_metrics(part):
    may_read_counters(part.said("gpu_metrics"))
    ((count,),) = part.profile("gpu_metrics").rows("SELECT count(*) FROM GPU_METRICS") or [(0,)]
    check(count > 0, f"no samples: {part.said('gpu_metrics')}")
    return f"{count} values"


def migrations(profile: Cuda):
    """Copies of managed memory, CUPTI's kinds 11 and 12 of the export's schema."""
    ((count,),) = profile.rows("SELECT count(*) FROM CUPTI_ACTIVITY_KIND_MEMCPY WHERE copyKind IN (11, 12)") or [(0,)]
    return count


def managed(part):
    """Either the recorder shows migrations and faults, or it prints why there are none."""
    profile = part.profile("managed")
    faults = [sum(count for (count,) in profile.rows(f"SELECT count(*) FROM CUDA_UM_{side}_PAGE_FAULT_EVENTS"))
              for side in ("CPU", "GPU")]
    said = [line for line in part.said("managed").splitlines() if "nified memory" in line or "page fault" in line]
    check(migrations(profile) + sum(faults) > 0 or said, "no migrations, no page faults, and no word of why")
    return f"{migrations(profile)} migrations, {faults[0]} faults of the CPU, {faults[1]} of the GPU {'; '.join(said)}"
