"""Makes a long run of a short one: a profile whose events are those of a real one, many times, one time behind the other.

    bench/replicate.py SOURCE TIMES OUT     an Nsight Systems SQLite export, or a PyTorch trace (.json, .json.gz)

What ties events together (correlation ids, flows, sequence numbers) is moved as well, so that each time has its own."""

import gzip
import re
import sqlite3
import sys

GAP_NS = 1_000
SQLITE_TIMES = ("start", "end", "timestamp")
TRACE_NUMBER = re.compile(r'"(ts|id|correlation|External id|Ev Idx|Sequence number)": (\d+)')
TRACE_GAP_US = 1_000_000  # longer than any event


def columns_of(db, table):
    return [row[1] for row in db.execute(f'PRAGMA table_info("{table}")')]


def sqlite_event_tables(db):
    tables = [name for (name,) in db.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
    return {table: columns for table in tables if "start" in (columns := columns_of(db, table))}


def replicate_sqlite(source, times, out):
    with sqlite3.connect(source) as original, sqlite3.connect(out) as copy:
        original.backup(copy)
    db = sqlite3.connect(out, isolation_level=None)
    db.execute("PRAGMA journal_mode = OFF")
    db.execute("PRAGMA synchronous = OFF")
    tables = sqlite_event_tables(db)
    ends = [db.execute(f'SELECT min(start), max({"coalesce(end, start)" if "end" in columns else "start"}) FROM "{table}"').fetchone()
            for table, columns in tables.items()]
    ends = [pair for pair in ends if pair[0] is not None]
    period = max(end for _, end in ends) - min(start for start, _ in ends) + GAP_NS
    ids = 1 + max(db.execute(f'SELECT coalesce(max(correlationId), 0) FROM "{table}"').fetchone()[0]
                  for table, columns in tables.items() if "correlationId" in columns)
    db.execute("BEGIN")
    for table, columns in tables.items():
        key = {row[1] for row in db.execute(f'PRAGMA table_info("{table}")') if row[5]}
        kept = [c for c in columns if c not in key]  # SQLite numbers rows of its own
        moved = {c: f'"{c}" + n * {period}' for c in SQLITE_TIMES}
        moved["correlationId"] = f'CASE WHEN "correlationId" = 0 THEN 0 ELSE "correlationId" + n * {ids} END'
        names = ", ".join(f'"{c}"' for c in kept)
        values = ", ".join(moved.get(c, f'"{c}"') for c in kept)
        db.execute(f'CREATE TEMP TABLE once AS SELECT rowid AS at, * FROM "{table}"')
        db.execute(f'WITH RECURSIVE t(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM t WHERE n < {times - 1}) '
                   f'INSERT INTO "{table}" ({names}) SELECT {values} FROM t CROSS JOIN once ORDER BY n, at')
        db.execute("DROP TABLE once")
    db.execute(f"UPDATE ANALYSIS_DETAILS SET duration = duration + {(times - 1) * period}, "
               f"stopTime = stopTime + {(times - 1) * period}")
    db.execute("COMMIT")
    db.close()


def replicate_trace(source, times, out):
    """Of the text, so that the events stay written as PyTorch writes them."""
    with (gzip.open if source.endswith(".gz") else open)(source, "rt", encoding="utf-8") as file:
        text = file.read()
    begin = text.index("[", text.index('"traceEvents"')) + 1
    end = text.rindex("]")
    events = text[begin:end].rstrip()
    starts = [int(ts) for name, ts in TRACE_NUMBER.findall(events) if name == "ts"]
    period = max(starts) - min(starts) + TRACE_GAP_US
    ids = 1 + max(int(number) for name, number in TRACE_NUMBER.findall(events) if name != "ts")
    with open(out, "w", encoding="utf-8") as file:
        file.write(text[:begin] + events)
        for n in range(1, times):
            moved = {"ts": n * period}
            file.write("," + TRACE_NUMBER.sub(
                lambda found: f'"{found[1]}": {int(found[2]) + moved.get(found[1], n * ids)}', events))
        file.write(text[end:])


def replicate(source, times, out):
    (replicate_sqlite if str(source).endswith(".sqlite") else replicate_trace)(str(source), times, str(out))


if __name__ == "__main__":
    replicate(sys.argv[1], int(sys.argv[2]), sys.argv[3])
