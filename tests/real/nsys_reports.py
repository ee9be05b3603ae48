#!/usr/bin/env python3
"""Every report of `sonde stats` on every real nsys export against plain SQL over the same file.

usage: SONDE_TEST_DATA=FOLDER [SONDE=PROGRAM] nsys_reports.py [PART OF A FILE NAME]...
"""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "reference"))

import compare
import nsys_sql
from nsys_database import open_database


def main():
    files = compare.selected(compare.data_folder("nsys_sqlite").glob("*.sqlite"))
    reports = [*nsys_sql.BY_NAME, *nsys_sql.WITH_ARGUMENTS]
    return compare.check_files(files, open_database, nsys_sql.compute, reports)


if __name__ == "__main__":
    sys.exit(main())
