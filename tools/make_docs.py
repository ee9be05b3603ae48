#!/usr/bin/env python3
"""Prints docs/reports.md from the program's own rows: make_docs.py SONDE. ./dev test compares it with the file."""

import subprocess
import sys


def help_of(program, *arguments):
    return subprocess.run([program, *arguments], check=True, capture_output=True, text=True).stdout


def main():
    program = sys.argv[1]
    print("# Reports of `sonde stats`\n")
    print("Made by `tools/make_docs.py build/release/sonde > docs/reports.md` from the descriptions in the program.\n")
    for block in help_of(program, "stats", "--help-reports=ALL").strip().split("\n\n\n"):
        print(block.strip("\n"))
        print()


if __name__ == "__main__":
    main()
