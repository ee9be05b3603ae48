#!/usr/bin/env python3
"""`sonde modules TIMELINE REPORT` on pairs whose transfers and times are known (tests/reference/joined_pair.py): bytes,
intensity, occupancy and measured share of every module, and the bandwidth that the fit means, against plain addition.
"""

import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "reference"))

import joined_pair
from joined_pair import DRAM, GEMM, MAP, launches, module_sums

SONDE = os.environ.get("SONDE", "build/release/sonde")
ALLOWED = 0.01
FIT = re.compile(r"^DRAM: linear fit of own time over own bytes of (\d+) modules: correlation ([-0-9.]+), the slope corresponds to ([0-9.]+) ([GT])B/s$", re.M)
SHARE = re.compile(r"^(\d+) of (\d+) launches are measured \([\d.]+ % of the kernel time\): (\d+) individually, (\d+) through launches of the same kind; "
                   r"(\d+) of (\d+) measured", re.M)


def tree_of(rows):
    """{path of names: row}"""
    tree, stack = {}, []
    for row in rows:
        stack[row["Level"]:] = [row["Module"]]
        tree[tuple(stack)] = row
    return tree


class KernelJoin(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.timeline = pathlib.Path(self.folder.name) / "run.sqlite"
        self.report = pathlib.Path(self.folder.name) / "kernels.ncu-rep"

    def sonde(self, *arguments):
        result = subprocess.run([SONDE, *map(str, arguments)], capture_output=True, text=True, check=False)
        self.assertIn(result.returncode, (0, 3) if arguments[0] == "why" else (0,), result.stderr)
        return result

    def modules(self, *options, reports=()):
        result = self.sonde("modules", "--min-percent", "0", "-f", "json", *options, self.timeline, *(reports or [self.report]))
        return tree_of(json.loads(result.stdout)), result.stderr

    def near(self, found, wanted, what):
        self.assertIsNotNone(found, what)
        self.assertLessEqual(abs(found - wanted), ALLOWED * abs(wanted), f"{what}: {found}, expected {wanted}")

    def check(self, run, exact_names=False, reports=(), occupancy=True):
        """Every module; gives the counts of the line about the share matched."""
        tree, notes = self.modules(*(["--exact-names"] if exact_names else []), reports=reports)
        sums = module_sums(run, exact_names)
        self.assertEqual(tree.keys(), sums.keys())
        for path, wanted in sums.items():
            row, what = tree[path], " > ".join(path)
            self.near(row["DRAM Read (bytes)"], wanted["read"], f"{what}, DRAM read")
            self.near(row["DRAM Write (bytes)"], wanted["write"], f"{what}, DRAM write")
            self.near(row["L2 Read (bytes)"], 3 * wanted["read"], f"{what}, L2 read")
            self.near(row["L2 Write (bytes)"], 2 * wanted["write"], f"{what}, L2 write")
            self.near(row["Intensity (FLOP/byte)"], wanted["flop"] / (wanted["read"] + wanted["write"]), f"{what}, intensity")
            self.near(row["Measured (%)"], 100 * wanted["matched_ns"] / wanted["ns"], f"{what}, measured")
            if occupancy:
                self.near(row["Occupancy (%)"], wanted["warps"] / wanted["matched_ns"], f"{what}, occupancy")
            self.assertEqual(row["Device Total (ns)"], wanted["ns"], what)
        self.check_fit(notes, sums)
        return tuple(map(int, SHARE.search(notes).groups()))

    def check_fit(self, notes, sums):
        modules, correlation, rate, unit = FIT.search(notes).groups()
        bytes_per_ns = float(rate) * {"G": 1, "T": 1000}[unit]
        by_hand, wanted_correlation = joined_pair.fitted_bandwidth(sums)
        self.assertEqual(int(modules), sum(len(path) == 3 for path in sums))
        self.near(bytes_per_ns, joined_pair.BYTES_PER_NS, "bandwidth")
        self.near(bytes_per_ns, by_hand, "bandwidth by hand")
        self.near(float(correlation), wanted_correlation, "correlation")

    def measured(self, run):
        return [k for k in run if k.function in (GEMM, MAP)]

    def test_all_launches_measured_each_is_its_own(self):
        run = launches(same_iterations=False)
        joined_pair.write_timeline(run, self.timeline)
        joined_pair.write_report(self.measured(run), self.report)
        self.assertEqual(self.check(run), (90, 96, 90, 0, 90, 91))
        self.assertEqual(self.check(run, exact_names=True), (90, 96, 90, 0, 90, 91))

    def test_without_ranges_in_the_report_the_order_tells_launches_apart(self):
        run = launches(same_iterations=False)
        joined_pair.write_timeline(run, self.timeline)
        joined_pair.write_report(self.measured(run), self.report, with_ranges=False)
        self.assertEqual(self.check(run, exact_names=True), (90, 96, 90, 0, 90, 91))

    def test_one_iteration_measured_stands_for_the_others_layer_by_layer(self):
        run = launches()
        joined_pair.write_timeline(run, self.timeline)
        joined_pair.write_report(self.measured(launches(iterations=1)), self.report)
        self.assertEqual(self.check(run, exact_names=True), (90, 96, 0, 90, 30, 31))

    def test_one_layer_measured_stands_for_layers_like_it(self):
        run = launches(same_layers=True)
        joined_pair.write_timeline(run, self.timeline)
        joined_pair.write_report(self.measured(launches(iterations=1, layers=1, same_layers=True)), self.report)
        self.assertEqual(self.check(run), (90, 96, 0, 90, 15, 16))

    def test_several_measurements_of_like_launches_are_averaged(self):
        measured = launches(iterations=2, layers=1, same_iterations=False, seed=3)
        run = launches(iterations=2, layers=2, same_iterations=False, same_layers=True, seed=3)
        joined_pair.write_timeline(run, self.timeline)
        joined_pair.write_report(self.measured(measured), self.report, with_ranges=True)
        tree, _ = self.modules()
        for path, wanted in module_sums(run).items():
            self.near(tree[path]["DRAM Read (bytes)"], wanted["read"], path)

    def test_two_reports_of_the_same_launches_add_their_metrics(self):
        run = launches(same_iterations=False)
        other = self.report.with_name("other.ncu-rep")
        joined_pair.write_timeline(run, self.timeline)
        metrics = set(joined_pair.kernel_of(run[0], lambda f: (f.report, f.mangled), False, None)["metrics"])
        joined_pair.write_report(self.measured(run), self.report, metrics=DRAM)
        joined_pair.write_report(self.measured(run), other, metrics=metrics - set(DRAM))
        self.assertEqual(self.check(run, exact_names=True, reports=[other, self.report]), (90, 96, 90, 0, 180, 182))

    def test_names_by_declaration_alone(self):
        run = launches(same_iterations=False)
        joined_pair.write_timeline(run, self.timeline, names=lambda f: (f.timeline, f.short, None))
        joined_pair.write_report(self.measured(run), self.report)
        self.assertEqual(self.check(run)[0], 90)

    def test_bare_names_on_the_timeline(self):
        run = launches(same_iterations=False)
        joined_pair.write_timeline(run, self.timeline, names=lambda f: (f.short, f.short, None))
        joined_pair.write_report(self.measured(run), self.report)
        self.assertEqual(self.check(run)[0], 90)

    def test_timelines_of_other_formats(self):
        run = launches(same_iterations=False)
        joined_pair.write_timeline(run, self.timeline)
        joined_pair.write_report(self.measured(run), self.report)
        database, trace, report = self.timeline, self.timeline.with_suffix(".json"), self.timeline.with_suffix(".nsys-rep")
        self.sonde("convert", database, trace)
        subprocess.run([pathlib.Path(os.environ["TEST_TOOLS"]) / "write_nsys_report", database, report], check=True)
        for self.timeline in (trace, report):
            self.assertEqual(self.check(run, exact_names=True), (90, 96, 90, 0, 90, 91))

    def test_other_grids_and_other_ranges_do_not_match(self):
        run = launches()
        joined_pair.write_timeline(run, self.timeline)
        measured = [k for k in self.measured(launches(iterations=1)) if k.path[2] == "attention" and k.grid != 256]
        joined_pair.write_report(measured, self.report)
        tree, notes = self.modules()
        self.assertEqual(tuple(map(int, SHARE.search(notes).groups())), (12, 96, 0, 12, 4, 5))
        attention = tree[("iteration #", "layer.#", "attention")]
        self.near(attention["DRAM Read (bytes)"], 3 * sum(k.read for k in measured), "attention")
        self.assertIsNone(tree[("iteration #", "layer.#", "mlp")]["DRAM Read (bytes)"])
        self.assertEqual(tree[("iteration #", "layer.#", "mlp")]["Measured (%)"], 0)
        self.assertIn("grid 256x1x1, block 256x1x1", notes)
        self.assertIn("measured only with another grid", notes)
        self.assertIn("measured only in other ranges", notes)
        self.assertIn("histogram(int*), grid 8x1x1, block 256x1x1: not on the timeline", notes)

    def test_what_was_not_collected_is_empty_and_named(self):
        run = launches()
        joined_pair.write_timeline(run, self.timeline)
        joined_pair.write_report(self.measured(run), self.report, metrics=DRAM)
        tree, notes = self.modules()
        row = tree[("iteration #",)]
        self.assertIsNone(row["L2 Read (bytes)"])
        self.assertIsNone(row["Occupancy (%)"])
        self.assertIsNotNone(row["DRAM Read (bytes)"])
        self.assertIn("L2 Read, L2 Write (ncu --section MemoryWorkloadAnalysis_Tables)", notes)
        self.assertIn("Occupancy (ncu --section Occupancy)", notes)

    def test_why_says_how_much_was_matched(self):
        run = launches(same_iterations=False)
        joined_pair.write_timeline(run, self.timeline)
        joined_pair.write_report(self.measured(run), self.report)
        document = json.loads(self.sonde("why", "--json", self.timeline, self.report).stdout)
        self.assertEqual(document["measured"]["matched_launches"], 90)
        self.assertEqual(document["measured"]["matched_launches_ns"], sum(k.duration for k in self.measured(run)))


if __name__ == "__main__":
    unittest.main()
