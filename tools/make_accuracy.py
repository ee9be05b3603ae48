#!/usr/bin/env python3
"""Writes docs/profiles/accuracy.md and its totals in the README: what `sonde why` says of programs whose truth is known,
beside that truth.

usage: make_accuracy.py SONDE [FOLDER] [--check]

FOLDER has truth.json and the profiles that it names (default: h100 in SONDE_TEST_DATA). With --check nothing is written,
and the exit code says whether the limits of this file hold and the pages are up to date.
"""

import json
import os
import re
import statistics
import subprocess
import sys
import textwrap
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs/profiles/accuracy.md"
README = ROOT / "README.md"
GAINS = ROOT / "src/findings/measured_gains.inc"
GAIN = re.compile(r'^SONDE_MEASURED_GAIN\((\w+), (\w+), "([^"]+)", ([\d.]+), ([\d.]+)\)$', re.MULTILINE)
FEWEST_CASES = 3
STUDENTS_T = {1: 3.078, 2: 1.886, 3: 1.638, 4: 1.533, 5: 1.476, 6: 1.440, 7: 1.415, 8: 1.397, 9: 1.383}  # 10 % above
MIN_LIKELY_HOLDS = 0.8
# The fix of a variant removes what one of these findings reports. The case's own fault first.
CAUSES = {
    "mix": {"fix_prec": ("float32_matmul", "float32_work"), "fix_copy": ("pageable_copy",), "fix_sync": ("sync_in_loop",)},
    "rtdetr_b8": {"fixed": ("float32_matmul", "float32_work")},
    "pageable_copy": {"fixed": ("pageable_copy",)},
    "graph_infer": {"fixed": ("launch_bound",)},
    "attention_eager": {"fixed": ("unfused_attention",)},
    "elementwise_big": {"fixed": ("pointwise_chain",)},
    "resnet50_nchw": {"fixed": ("below_roofline_batch_norm", "below_roofline_convolution_layout")},
    "alloc_nocache": {"fixed": ("steady_allocation",)},
    "sync_cpu": {"fixed": ("gpu_idle_own_code",)},
}
# The same of kernels, of whose time the shares are.
KERNEL_CAUSES = {
    "k01_uncoalesced": {"fixed": ("kernel_uncoalesced",)},
    "k03_registers": {"fixed": ("kernel_occupancy",)},
    "k07_fp64": {"fixed": ("kernel_fp64_conversions", "kernel_fp64")},
}
MAX_MEDIAN_ERROR = 4.0  # percent
MAX_ERROR = 15.0
MAX_WORSE = 5.0  # points
MAX_BUSY_ERROR = 8.0  # points
SPREAD = 0.06  # kRunSpread of recording_cost.h: part of the stated range on both sides


def why(sonde, path):
    out = subprocess.run([sonde, "why", "--json", path], capture_output=True, text=True, check=False).stdout
    return json.loads(out)


class Variant:
    def __init__(self, row, answer):
        self.name = f"{row['case']}.{row['variant']}"
        self.row = row
        self.answer = answer
        self.true_ms = row["wall_ms"]["median"]
        step = answer["recorder"]
        self.recorded, self.without, self.low, self.high, self.busy = (
            step[key] / 1e6 for key in ("recorded_ns", "without_ns", "low_ns", "high_ns", "busy_ns"))

    def error(self, ms):
        return 100 * (ms / self.true_ms - 1)

    def busy_error(self):
        return abs(100 * self.busy / self.without - min(100, 100 * self.busy / self.true_ms))

    def in_range(self):
        return self.low <= self.true_ms <= self.high

    def without_at(self, factor):
        """The step with another cost, between the three that are known: 0.75, 1 and 1.25 of it."""
        high, low = self.high / (1 + SPREAD), self.low / (1 - SPREAD)
        edge = high if factor < 1 else low
        return self.without + (edge - self.without) * abs(factor - 1) / 0.25


@dataclass(frozen=True)
class Measured:
    rows: list  # of truth.json
    answers: dict  # of `sonde why`, by case and variant
    variants: list  # timelines

    def fixes(self):
        return [*finding_rows(self, CAUSES), *finding_rows(self, KERNEL_CAUSES)]


def read(sonde, folder):
    rows = json.loads((folder / "truth.json").read_text())["rows"]
    recorded = [row for row in rows if row.get("profile")]
    answers = {f"{row['case']}.{row['variant']}": why(sonde, str(folder / row["profile"])) for row in recorded}
    timelines = [row for row in recorded if row["kind"] == "timeline"]
    return Measured(rows, answers, [Variant(row, answers[f"{row['case']}.{row['variant']}"]) for row in timelines])


def left_out_errors(variants):
    """The errors with a cost that was fitted to all other cases."""
    factors = [0.75 + 0.01 * i for i in range(51)]
    errors = []
    for judged in variants:
        others = [v for v in variants if v.row["case"] != judged.row["case"]]
        best = min(factors, key=lambda f: statistics.fmean(abs(v.error(v.without_at(f))) for v in others))
        errors.append(abs(judged.error(judged.without_at(best))))
    return errors


def finding_rows(measured, causes):
    """One row a fix: what it saved, and the finding that names it."""
    for case, fixes in causes.items():
        bad = measured.answers.get(f"{case}.bad")
        for fix, ids in fixes.items():
            truth = next((r for r in measured.rows if r["case"] == case and r["variant"] == fix), None)
            if bad is None or truth is None:
                continue
            shown = [f for f in bad["findings"] if not f["folded"]]
            rank = next((i for i, f in enumerate(shown, 1) if f["id"] in ids), None)
            bound = shown[rank - 1]["ceiling_percent"] if rank else None
            gain = truth["saves_percent"]
            yield {"case": f"{case}.{fix}", "finding": shown[rank - 1]["id"] if rank else "-", "rank": rank,
                   "bound": bound, "gain": gain, "main": fix == next(iter(fixes)),
                   "holds": rank is not None and bound >= gain - 0.05,
                   "tight": rank is not None and 100 - bound >= (100 - gain) / 2}


class Gain:
    """A measured fix of measured_gains.inc, with what `sonde why` says of it by now."""

    def __init__(self, data, answers, kind, finding, case, bound, gain):
        self.kind, self.finding, self.case = kind, finding, case
        self.bound, self.gain = float(bound), float(gain)
        found = next((f for f in answers(data, case)["findings"] if f["id"] == finding), None)
        self.now = found["ceiling_percent"] if found else None
        self.said = found and found["likely"] and [100 * found["likely"][key] / found["ceiling_ns"] for key in ("low_ns", "high_ns")]


def read_gains(sonde, data, measured):
    def answers(data, case):
        folder, name = case.split("/")
        known = measured.answers.get(f"{name.split('.')[0]}.bad") if folder == "h100" else None
        return known or why(sonde, str(data.parent / case))

    return [Gain(data, answers, *row) for row in GAIN.findall(GAINS.read_text())]


def likely(gains):
    """Percent of the bound between which four of five further fixes lie; None where too few were measured."""
    if len(gains) < FEWEST_CASES:
        return None
    shares = [100 * g.gain / g.bound for g in gains]
    reach = STUDENTS_T[len(shares) - 1] * statistics.stdev(shares) * (1 + 1 / len(shares)) ** 0.5
    return [max(0.0, min(100.0, statistics.fmean(shares) + sign * reach)) for sign in (-1, 1)]


def likely_without(gain, gains):
    """Percent of the step, by the other fixes of the kind."""
    others = likely([g for g in gains if g.kind == gain.kind and g is not gain])
    return others and [share * gain.bound / 100 for share in others]


def likely_holds(gain, gains):
    low, high = likely_without(gain, gains)
    return low - 0.05 <= gain.gain <= high + 0.05


TOTALS = re.compile(r"(?<=- \*\*`sonde why`\*\*: ).*?(?=\n- )", re.DOTALL)


def named_first(findings):
    """Those that are among the first two findings."""
    return [f for f in findings if f["rank"] and f["rank"] <= 2]


def totals(measured):
    findings, variants = measured.fixes(), measured.variants
    raw = statistics.median(abs(v.error(v.recorded)) for v in variants)
    corrected = statistics.median(abs(v.error(v.without)) for v in variants)
    text = (f"of {len(findings)} fixes that were measured on an H100, it names {len(named_first(findings))} in its "
            f"first two findings, and {sum(f['holds'] for f in findings)} gained no more than its \"at most\". Its step without the "
            f"profiler's own cost is {corrected:.1f} % off in the median ({raw:.1f} % as recorded); this is for PyTorch traces only "
            "([accuracy.md](docs/profiles/accuracy.md)).")
    bullet = "- **`sonde why`**: "
    return textwrap.fill(text, 120, initial_indent=bullet, subsequent_indent="  ", break_on_hyphens=False)[len(bullet):]


def likely_text(gains):
    judged = [g for g in gains if likely_without(g, gains)]
    text = f"""
## Likely gains

`likely` is the range in which four of five further fixes of a kind lie, by the measured ones: a prediction interval for the
gain as a part of the bound. Below {FEWEST_CASES} measured fixes of a kind, none is printed. Here, each range is fitted without the
fix that it is judged by. {sum(likely_holds(g, gains) for g in judged)} of {len(judged)} ranges contain the measured gain.

| fix | finding | kind | at most | likely | measured gain | inside |
|---|---|---|--:|--:|--:|---|
"""
    for g in gains:
        low_high = likely_without(g, gains)
        held = "-" if not low_high else "yes" if likely_holds(g, gains) else "**no**"
        text += (f"| {g.case} | {g.finding} | {g.kind} | {g.bound:.1f} % | "
                 f"{'{:.1f} to {:.1f} %'.format(*low_high) if low_high else '-'} | {g.gain:.1f} % | {held} |\n")
    return text


def fix_table(findings):
    text = """
| fix | finding | rank | at most | measured gain | bound holds | tight |
|---|---|--:|--:|--:|---|---|
"""
    for f in findings:
        bound = f"{f['bound']:.1f} %" if f["bound"] is not None else "-"
        text += (f"| {f['case']} | {f['finding']} | {f['rank'] or '-'} | {bound} | {f['gain']:.1f} % | "
                 f"{'yes' if f['holds'] else '**no**'} | {'yes' if f['tight'] else '**no**'} |\n")
    return text


def page(measured, gains):
    variants = measured.variants
    raw = [abs(v.error(v.recorded)) for v in variants]
    corrected = [abs(v.error(v.without)) for v in variants]
    findings = measured.fixes()
    text = f"""# Accuracy

Programs with one known fault each were run on an NVIDIA H100 (PyTorch 2.11). Their time was measured without a profiler,
before and after the fix, and then they were profiled. This page compares what `sonde why` says of the profiles with the
measured times. `./dev accuracy` writes it.

## The step without the profiler's own cost

"As recorded" is the time from the first to the last GPU operation launched in the steps, by their number. The median
error is **{statistics.median(raw):.1f} %** as recorded and **{statistics.median(corrected):.1f} %** without the profiler's cost;
{sum(e <= MAX_ERROR for e in corrected)} of {len(variants)} are within {MAX_ERROR:.0f} %. The stated range contains the true step in
{sum(v.in_range() for v in variants)} of {len(variants)}. With the cost fitted to all cases but the judged one, the median error is
{statistics.median(left_out_errors(variants)):.1f} % and the largest {max(left_out_errors(variants)):.1f} %.

| program | true step | as recorded | without the profiler | range | GPU busy, true | as recorded | without |
|---|--:|--:|--:|--:|--:|--:|--:|
"""
    for v in variants:
        text += (f"| {v.name} | {v.true_ms:.2f} ms | {v.recorded:.2f} ms ({v.error(v.recorded):+.0f} %) | {v.without:.2f} ms "
                 f"({v.error(v.without):+.1f} %) | {v.low:.2f} to {v.high:.2f} ms | {min(100, 100 * v.busy / v.true_ms):.0f} % | "
                 f"{100 * v.busy / v.recorded:.0f} % | {100 * v.busy / v.without:.0f} % |\n")
    text += f"""
"GPU busy, true" is the busy time of the profile by the true step: the GPU's work was not measured without a profiler.

## Findings against measured fixes

{len(named_first(findings))} of {len(findings)} causes are among the first two findings. The bound is at least the measured gain in
{sum(f['holds'] for f in findings)} of {len(findings)}, and tight (what it leaves of the step is at least half of what the fix left) in
{sum(f['tight'] for f in findings)}. Both are shares of the step, for the kernels k01 to k07 of the kernel's time.
"""
    return text + fix_table(findings) + likely_text(gains)


def gain_problems(gains):
    for g in gains:
        if g.now is None or abs(g.now - g.bound) > 0.06:
            yield f"{g.case}: the bound of {g.finding} is {g.now}, not {g.bound} as in {GAINS.name}"
        expected = likely([other for other in gains if other.kind == g.kind])
        if g.said is None or any(abs(a - b) > 0.1 for a, b in zip(g.said, expected, strict=True)):
            yield f"{g.case}: likely {g.said} % of the bound, not {expected}"
    held = [likely_holds(g, gains) for g in gains if likely_without(g, gains)]
    if sum(held) < MIN_LIKELY_HOLDS * len(held):
        yield f"only {sum(held)} of {len(held)} likely ranges contain the gain"


def problems(variants, gains):
    corrected = [abs(v.error(v.without)) for v in variants]
    found = list(gain_problems(gains))
    if statistics.median(corrected) >= MAX_MEDIAN_ERROR:
        found.append(f"median error {statistics.median(corrected):.1f} %")
    if sum(e <= MAX_ERROR for e in corrected) < 0.9 * len(variants):
        found.append("fewer than 90 % of the steps within 15 %")
    for v in variants:
        if abs(v.error(v.without)) > abs(v.error(v.recorded)) + MAX_WORSE:
            found.append(f"{v.name}: worse than as recorded")
        if v.busy_error() > MAX_BUSY_ERROR:
            found.append(f"{v.name}: busy share differs by {v.busy_error():.1f} points")
    if sum(v.in_range() for v in variants) < 0.9 * len(variants):
        found.append("the range contains fewer than 90 % of the true steps")
    left_out = left_out_errors(variants)
    if statistics.median(left_out) >= MAX_MEDIAN_ERROR or sum(e <= MAX_ERROR for e in left_out) < 0.9 * len(variants):
        found.append("leave one out: the errors are too large")
    return found


def main(arguments):
    check = "--check" in arguments
    sonde, *folder = [a for a in arguments if a != "--check"]
    data = Path(folder[0] if folder else Path(os.environ["SONDE_TEST_DATA"]) / "h100")
    measured = read(sonde, data)
    gains = read_gains(sonde, data, measured)
    if check:
        wrong = problems(measured.variants, gains)
        if PAGE.read_text() != page(measured, gains) or totals(measured) not in README.read_text():
            wrong.append("docs/profiles/accuracy.md or the README say something else: run ./dev accuracy")
        print("\n".join(wrong) or f"{len(measured.answers)} profiles: all limits hold")
        return 1 if wrong else 0
    PAGE.write_text(page(measured, gains))
    text = totals(measured)
    README.write_text(TOTALS.sub(lambda _: text, README.read_text()))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
