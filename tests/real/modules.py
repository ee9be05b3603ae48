#!/usr/bin/env python3
"""`sonde modules` of every real export with ranges and GPU work against the same computed a second time.

usage: SONDE_TEST_DATA=FOLDER [SONDE=PROGRAM] modules.py [PART OF A FILE'S NAME...]
"""

import json
import pathlib
import sys
import time
from collections import Counter

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "reference"))

import compare
import module_times

COLUMNS = {"self": "Device Self (ns)", "total": "Device Total (ns)", "host": "Host Total (ns)",
           "host_self": "Host Self (ns)", "calls": "Calls", "kernels": "Kernels", "copies": "Copies",
           "bytes": "Copied (bytes)", "launches": "Launches"}
OUTSIDE = "(outside any module)"
LONGEST_SECONDS = 40


def of_sonde(path, exact_names):
    """(nodes, outside) in the form of the second computation; None where sonde failed."""
    choice = ["--exact-names"] if exact_names else []
    result = compare.run_sonde("modules", "--min-percent", "0", *choice, "-q", "-f", "json", path)
    if result.returncode != 0:
        print(result.stderr.strip())
        return None
    text = (lambda name: name) if exact_names else module_times.grouped_name
    nodes, outside, stack = {}, Counter(), []
    for row in json.loads(result.stdout):
        level, figures = row["Level"], Counter({field: row[title] or 0 for field, title in COLUMNS.items()})
        name = row["Module"]
        if name == OUTSIDE and row["Calls"] is None:
            outside = figures
            continue
        stack[level:] = [text(name)]
        nodes.setdefault(tuple(stack), Counter()).update(figures)  # of two domains
    return nodes, outside


def node_differences(wanted, found):
    """A share is rounded to less than a nanosecond an operation; all else is exact."""
    for field in COLUMNS:
        allowed = wanted["operations"] if field in ("self", "total") else 0
        if abs(found[field] - wanted[field]) > allowed:
            yield f"{field} {found[field]}, expected {float(wanted[field])}"


def differences(path, exact_names):
    """(nodes compared, texts of what differs)."""
    nodes, outside, busy = module_times.module_times(path, exact_names)
    if not nodes or not busy:
        return 0, []
    found = of_sonde(path, exact_names)
    if found is None:
        return len(nodes), ["sonde failed"]
    mine, mine_outside = found
    texts = [f"{' > '.join(place)}: expected only" for place in nodes.keys() - mine.keys()]
    texts += [f"{' > '.join(place)}: sonde only" for place in mine.keys() - nodes.keys()]
    both = [(place, nodes[place], mine[place]) for place in nodes.keys() & mine.keys()]
    for place, wanted, node in [((OUTSIDE,), outside, mine_outside), *both]:
        if problems := list(node_differences(wanted, node)):
            texts.append(f"{' > '.join(place)}: {'; '.join(problems)}")
    sums = sum(node["self"] for node in mine.values()) + mine_outside["self"]
    if sums != busy:
        texts.append(f"all Device Self and what is outside: {sums} ns, the GPUs' busy time is {busy} ns")
    if sum(node["self"] for node in nodes.values()) + outside["self"] != busy:
        texts.append("the second computation does not add up to the busy time")
    return len(nodes) + 1, texts


def main():
    files = nodes = differing = 0
    for path in compare.selected(compare.data_folder("nsys_sqlite").glob("*.sqlite")):
        begin = time.monotonic()
        for exact_names in (True, False):
            if time.monotonic() - begin > LONGEST_SECONDS:
                print(f"note: {path.name} takes too long here; grouped names were not compared")
                continue
            compared, texts = differences(path, exact_names)
            if not compared:
                break
            print(f"{'DIFFERS' if texts else 'ok':8}{path.name}  {'exact' if exact_names else 'grouped'} names  "
                  f"{compared} nodes", flush=True)
            for text in texts[:20]:
                print("    " + text[:600])
            files, nodes, differing = files + exact_names, nodes + compared, differing + len(texts)
    print(f"{files} files, {nodes} nodes compared, {differing} differ")
    return 1 if differing or not nodes else 0


if __name__ == "__main__":
    sys.exit(main())
