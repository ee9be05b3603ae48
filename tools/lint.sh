#!/usr/bin/env bash
# All static checks, each to its end, so that one run shows everything. Changes nothing but build/.
set -uo pipefail
cd "$(dirname "$0")/.." || exit
failed=()

# check NAME COMMAND...
check() {
  local name=$1 began=$SECONDS
  shift
  if "$@"; then
    echo "lint: $name ok ($((SECONDS - began)) s)"
  else
    echo "lint: $name FAILED" >&2
    failed+=("$name")
  fi
}

files() { git ls-files -co --exclude-standard -- "$@"; }
layout() { files '*.cc' '*.h' | xargs -r clang-format-19 --dry-run -Werror; }
shell_scripts() { files dev .ci/run tests/gpu/run '*.sh' | xargs -r shellcheck; }
page_script() { (cd web && node install.mjs && npm run --silent "$1"); }
tidy() {
  cmake --preset lint >build/configure-lint.log 2>&1 || {
    cat build/configure-lint.log
    return 1
  }
  tools/tidy.py
}

mkdir -p build
check layers tools/check_layers.py
check rooms tools/check_rooms.py
check docs tools/check_docs.py
check tree tools/check_tree.py
check shellcheck shell_scripts
check page tools/check_page.py
check prettier page_script layout
check tsc page_script check
check clang-format layout
check clang-tidy tidy

if [[ ${#failed[@]} -gt 0 ]]; then
  echo "lint: failed: ${failed[*]}" >&2
  exit 1
fi
