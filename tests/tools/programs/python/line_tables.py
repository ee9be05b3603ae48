"""Prints the line tables of some functions of the Python that runs it, and which line each instruction is of as this
Python itself says: rows of tests/unit/record/python_line_tables.inc."""

import dis
import sys


def straight(values):
    total = 0
    for value in values:
        total += (value
                  * 2)
    return total


def guarded(path):
    try:
        with open(path) as file:
            return [line for line in file
                    if line.strip()]
    except OSError as error:
        print("no file",
              error,
              sep=": ")
    finally:
        path = None


def made(source):
    """A function of a source that nobody would like to read."""
    names = {}
    exec(compile(source, "made", "exec"), names)
    return names["made"]


FAR_APART = "def made(x):\n  if x:\n    return 1\n" + "\n" * 150 + "  return (2 if x is None\n          else 3)\n"
LONG_LINES = "def made(x):\n" + "  x = [" + "x, " * 300 + "\n       x]\n  return x\n"


async def waiting(things):
    async for thing in things:
        yield thing


def lines(code):
    """Offset -> line, where a line begins; None for instructions of no line."""
    if hasattr(code, "co_lines"):
        return [(start, line) for start, end, line in code.co_lines() if start < end]
    return list(dis.findlinestarts(code))


def row(function):
    code = function.__code__
    table = code.co_linetable if sys.version_info >= (3, 10) else code.co_lnotab
    starts = ", ".join(f"{{{offset}, {line or 0}}}" for offset, line in lines(code))
    print(f'SONDE_PYTHON_LINES({sys.version_info[1]}, {code.co_firstlineno}, "{table.hex()}", ({{{starts}}}))')


for each in [straight, guarded, made(FAR_APART), made(LONG_LINES), waiting]:
    row(each)
