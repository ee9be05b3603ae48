"""What a fix saved, measured without a profiler, beside what Sonde says first of each profile of the fault. Whether that
is right is judged where the profiles become test data: here it is only shown."""

import json
import subprocess

from _evidence import SONDE, check

ROUNDS = 5


def first_finding(profile):
    """The answer where there is no finding: also a profile without a problem has an exit code of its own."""
    try:
        done = subprocess.run([SONDE, "why", "--format", "json", profile], capture_output=True, text=True, check=False,
                              timeout=300)
        diagnosis = json.loads(done.stdout)
    except (OSError, ValueError, subprocess.TimeoutExpired):
        return "not judged"
    return diagnosis["findings"][0]["id"] if diagnosis["findings"] else diagnosis["answer"]


def case(part, name):
    part.done(name)
    folder = part.folder.parent / "truth"
    rows = [row for row in json.loads((folder / "truth.json").read_text())["rows"] if row["case"] == name]
    check(rows and "wall_ms" in rows[0], f"the first variant was not measured: {part.said(name)}")
    told = []
    for row in rows:
        if "lacks" in row:
            told.append(f"{row['variant']} lacks {row['lacks']}")
            continue
        check(len(row["wall_ms"]["rounds"]) == ROUNDS, f"{row['variant']}: {row['wall_ms']['rounds']}: not {ROUNDS} rounds")
        saved = f", saves {row['saves_percent']} %" if "saves_percent" in row else ""
        told.append(f"{row['variant']} {row['wall_ms']['median']} ms{saved}")
    for kind in ("profile", "sonde_profile"):
        if kind in rows[0] and (folder / rows[0][kind]).exists():
            told.append(f"first of {rows[0][kind]}: {first_finding(folder / rows[0][kind])}")
    return "; ".join(told)


def __getattr__(name):
    """A judge for each case."""
    if name.startswith("_"):
        raise AttributeError(name)
    return lambda part: case(part, name)
