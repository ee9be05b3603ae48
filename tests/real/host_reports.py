#!/usr/bin/env python3
"""Threads, cores, OS calls, library calls and memory of the real profiles against the same computed a second time.

usage: SONDE_TEST_DATA=FOLDER [SONDE=PROGRAM] host_reports.py [PART OF A FILE'S NAME...]
"""

import pathlib
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "reference"))

import compare
import compare_host
import pytorch_json

# Kineto traces that hold [memory] events, and their steps' annotations.
WITH_MEMORY = ("hta_df_index_resolver", "tracelens_h100_bert_small", "tracelens_h100_qwen1.5", "tracelens_mi300_bert_small")


def origin_of(entries):
    """Sonde's time 0 is the first event of a trace."""
    return min(pytorch_json.nanoseconds(e["ts"]) for e in entries if e.get("ph") in ("X", "i") and "ts" in e)


def check_report(path):
    """A report is exported by Sonde; convert_round_trip.py and nsys_rep.py tell whether the export holds what it does."""
    with tempfile.TemporaryDirectory() as folder:
        export = pathlib.Path(folder) / "export.sqlite"
        compare.run_sonde("convert", path, export)
        return compare_host.check_nsys(path, export=export)


def check(path):
    if path.suffix == ".sqlite":
        return compare_host.check_nsys(path)
    return check_report(path) if path.suffix == ".nsys-rep" else compare_host.check_pytorch(path, origin_of)


def main():
    cells = problems = 0
    exports = compare.selected(compare.data_folder("nsys_sqlite").glob("*.sqlite"))
    traces = compare.selected(p for p in compare.data_folder("kineto").glob("*.json*") if p.name.startswith(WITH_MEMORY))
    reports = compare.selected(compare.data_folder("nsys_rep").glob("*.nsys-rep"))
    for path in [*exports, *reports, *traces]:
        checked = check(path)
        cells += checked.cells
        problems += compare_host.report(path.name, checked)
    compare_host.exit_of(cells, problems)


if __name__ == "__main__":
    main()
