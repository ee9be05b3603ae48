#!/usr/bin/env python3
"""Embeds the files of this folder into a C++ source of the program: embed.py OUTPUT.cc. `sonde ci init` writes them."""

import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
FILES = (
    "gate.sh",
    "budget/profile.yaml",
    "budget/wall_time.yaml",
    "github/action.yml",
    "github/gpu-performance.yml",
    "gitlab/.gitlab-ci.yml",
    "gitlab/gpu-performance.yml",
    "jenkins/Jenkinsfile",
)
END = "sonde_file"  # of a raw string


def literal(name):
    text = (HERE / name).read_text(encoding="utf-8")
    if f"){END}\"" in text:
        sys.exit(f"{name} holds what ends a raw string of C++")
    return f'    {{"{name}", R"{END}({text}){END}"}},\n'


def main():
    source = "// Made by deploy/ci/embed.py.\n" '#include "cli/ci/shared_templates.h"\n\nnamespace sonde {\n\n'
    source += "std::span<const CiTemplate> ci_templates() {\n  static constexpr CiTemplate kTemplates[] = {\n"
    source += "".join(literal(name) for name in FILES)
    source += "  };\n  return kTemplates;\n}\n\n}  // namespace sonde\n"
    Path(sys.argv[1]).parent.mkdir(parents=True, exist_ok=True)
    Path(sys.argv[1]).write_text(source, encoding="utf-8")


if __name__ == "__main__":
    main()
