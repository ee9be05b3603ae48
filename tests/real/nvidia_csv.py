#!/usr/bin/env python3
"""`sonde stats` on a native report against the CSV that NVIDIA's own nsys printed of it: equal to the byte.

usage: SONDE_TEST_DATA=FOLDER [SONDE=PROGRAM] nvidia_csv.py
"""

import difflib
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "reference"))

import compare

PAIRS = [("fluids_2024.6.nsys-rep", "cuda_gpu_trace:base", "fluids_2024.6_cuda_gpu_trace_base.csv")]


def main():
    folder = compare.data_folder("nsys_rep")
    failed = 0
    for name, report, csv_name in PAIRS:
        wanted = (folder / csv_name).read_text()
        result = compare.run_sonde("stats", "-q", "-r", report, "-f", "csv", folder / name)
        if "does not read natively yet" in result.stderr:
            print(f"skipped: {name}: this program reads exports of it only")
            return compare.SKIPPED
        same = result.returncode == 0 and result.stdout == wanted
        print(f"{'ok' if same else 'DIFFERS':8}{name}  {report}  {wanted.count(chr(10)) - 1} rows")
        if not same:
            failed += 1
            lines = difflib.unified_diff(wanted.splitlines(), result.stdout.splitlines(), "nsys", "sonde", lineterm="", n=0)
            print("\n".join([result.stderr.strip(), *list(lines)[:8]]))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
