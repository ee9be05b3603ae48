#!/usr/bin/env python3
"""`sonde summary --json` of every real file against busy times, spans and copies computed a second time.

usage: SONDE_TEST_DATA=FOLDER [SONDE=PROGRAM] summaries.py [PART OF A FILE'S NAME...]
"""

import json
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "reference"))

import compare
import summary_json
import summary_sql


def of_sonde(path):
    """The figures of a summary in the form of the second computation; None where sonde failed."""
    result = compare.run_sonde("summary", "--json", path)
    if result.returncode != 0:
        print(result.stderr.strip())
        return None
    return json.loads(result.stdout)


def devices_of(summary):
    """Device number -> figures."""
    return {
        gpu["place"].removeprefix("GPU "): {
            "busy_ns": gpu["busy_ns"],
            "memset_ns": gpu["set_ns"],
            "kernel_count": gpu["kernels"],
            "copy_count": sum(copy["count"] for copy in gpu["copies"]),
            "memset_count": gpu["sets"],
            "graph_count": gpu["graph_launches"],
        }
        for gpu in summary["gpus"]
    }


def copies_of(summary):
    """Direction -> figures of all devices."""
    total = {}
    for gpu in summary["gpus"]:
        for copy in gpu["copies"]:
            sums = total.setdefault(copy["direction"], {"count": 0, "bytes": None, "time_ns": 0})
            for key in sums:
                if copy[key] is not None:
                    sums[key] = (sums[key] or 0) + copy[key]
    return total


def differences(summary, wanted):
    graphs = any(device["graph_count"] for device in wanted["devices"].values())
    mine = devices_of(summary)
    for place, gpu in zip(mine, summary["gpus"]):
        mine[place]["kernel_ns"] = gpu["kernel_ns"]
        if graphs:  # sonde counts a graph launch among the kernels' time, the second computation does not
            mine[place]["kernel_ns"] = wanted["devices"].get(place, {}).get("kernel_ns")
    if mine != wanted["devices"]:
        yield f"devices: {mine}, expected {wanted['devices']}"
    if copies_of(summary) != wanted["copies"]:
        yield f"copies: {copies_of(summary)}, expected {wanted['copies']}"
    if summary["total_ns"] != wanted["span"]["total_ns"]:
        yield f"total: {summary['total_ns']}, expected {wanted['span']['total_ns']}"
    working = summary["total_ns"] - summary["set_up_ns"] - summary["after_ns"]
    if summary["gpus"] and working != wanted["gpu_span"]["total_ns"]:
        yield f"first to last GPU work: {working}, expected {wanted['gpu_span']['total_ns']}"


def check(path, wanted):
    summary = of_sonde(path)
    found = ["no summary"] if summary is None else list(differences(summary, wanted))
    print(f"{'DIFFERS' if found else 'ok':8}{path.name}")
    for line in found:
        print("    " + line[:600])
    return not found


def main():
    folder = compare.data_folder("nsys_sqlite")
    files = [(path, summary_sql.summary) for path in folder.glob("*.sqlite")]
    files += [(path, summary_json.summary) for path in compare.data_folder("kineto").iterdir()]
    chosen = set(compare.selected([path for path, _ in files]))
    results = [check(path, compute(path)) for path, compute in sorted(files) if path in chosen]
    print(f"{sum(results)} of {len(results)} summaries agree")
    return 0 if all(results) and results else 1


if __name__ == "__main__":
    sys.exit(main())
