#!/usr/bin/env python3
"""The reports of `sonde stats` on every real PyTorch trace against exact arithmetic over the same JSON.

usage: SONDE_TEST_DATA=FOLDER [SONDE=PROGRAM] pytorch_reports.py [PART OF A FILE NAME]...
"""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "reference"))

import compare
import pytorch_json


def main():
    folder = compare.data_folder("kineto")
    files = compare.selected([*folder.glob("*.json"), *folder.glob("*.json.gz")])
    return compare.check_files(files, pytorch_json.open_trace, pytorch_json.compute, pytorch_json.BY_NAME)


if __name__ == "__main__":
    sys.exit(main())
