#!/usr/bin/env bash
# Runs ctest in another build tree: run_other_build.sh TREE [CTEST ARGUMENTS]. Exits with 77 when it is not built.
set -euo pipefail
tree=$1
shift
if [[ ! -x $tree/tests/sonde_unit_tests ]]; then
  echo "$tree is not built; ./dev build ${tree##*/} does it"
  exit 77
fi
# The inner ctest must not inherit settings of the outer one: neither its folder nor its dashboard. Tests that pass are
# left out, so that a log that keeps only its end has what failed.
env -u CTEST_INTERACTIVE_DEBUG_MODE ctest --test-dir "$tree" --output-on-failure "$@" |
  grep --line-buffered -vE '^ +Start +[0-9]+: | Passed +[0-9.]+ sec$'
