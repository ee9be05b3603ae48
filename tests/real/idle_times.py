#!/usr/bin/env python3
"""`sonde stats -r gpu_idle_sum` of every real export with GPU work against the same computed a second time.

usage: SONDE_TEST_DATA=FOLDER [SONDE=PROGRAM] idle_times.py [PART OF A FILE'S NAME...]
"""

import json
import pathlib
import sys
from collections import Counter

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "reference"))

import compare
import idle_times as reference


def of_sonde(path):
    """Place of a GPU -> causes of each GPU of that name; None where sonde failed."""
    result = compare.run_sonde("stats", "-q", "-r", "gpu_idle_sum", "-f", "json", path)
    if result.returncode != 0:
        print(result.stderr.strip())
        return None
    found = {}
    for row in json.loads(result.stdout or "[]"):
        found.setdefault(row["GPU"], Counter())[row["Cause"]] += row["Idle Time (ns)"]
    return found


def check(path):
    """(GPUs compared, nanoseconds that differ)."""
    wanted = {}
    for place, gpu in reference.idle_times(path).values():
        wanted.setdefault(place, Counter()).update(gpu.causes)
    found = of_sonde(path)
    if found is None:
        return len(wanted), 1
    off = 0
    for place in sorted(wanted.keys() | found.keys()):
        mine, theirs = found.get(place, Counter()), wanted.get(place, Counter())
        differing = {cause: (mine[cause], theirs[cause]) for cause in mine.keys() | theirs.keys()
                     if mine[cause] != theirs[cause]}
        lost = sum(abs(a - b) for a, b in differing.values())
        idle = sum(theirs.values())
        unknown = 100 * theirs["unknown"] / idle if idle else 0
        print(f"{'DIFFERS' if lost else 'ok':8}{path.name}  {place}  {idle} ns idle, {unknown:.1f} % of it unknown")
        for cause, (a, b) in sorted(differing.items()):
            print(f"    {cause}: {a} ns, expected {b} ns")
        off += lost
    return len(wanted), off


def main():
    files = compare.selected(compare.data_folder("nsys_sqlite").glob("*.sqlite"))
    results = [check(path) for path in files]
    gpus, off = (sum(column) for column in zip(*results)) if results else (0, 0)
    print(f"{len(files)} files, {gpus} GPUs compared, {off} ns differ")
    return 1 if off or not gpus else 0


if __name__ == "__main__":
    sys.exit(main())
