#!/usr/bin/env bash
# Runs one fuzz target: run.sh TREE TARGET [SECONDS]. Begins from its corpus and the inputs of the golden tests; what it
# finds goes to the build tree. Exits with 77 when the target is not built.
#   SONDE_FUZZ_SECONDS  how long, where no third argument says so (5)
set -euo pipefail
tree=$1
target=$2
seconds=${3:-${SONDE_FUZZ_SECONDS:-5}}
source_folder=$(cd "$(dirname "$0")" && pwd)

if [[ ! -x $tree/fuzz/$target ]]; then
  echo "$tree/fuzz/$target is not built; ./dev build ${tree##*/} does it"
  exit 77
fi

found=$tree/fuzz/found/$target
mkdir -p "$found" "$tree/fuzz/failed"
seeds=("$found")
[[ ! -d $source_folder/corpus/${target%_fuzz} ]] || seeds+=("$source_folder/corpus/${target%_fuzz}")
# The golden tests have files of all formats but those that the recorder reads while it records.
[[ -e $source_folder/record/$target.cc ]] || seeds+=("$source_folder/../tests/golden")

# By default libFuzzer exits with 77 on a crash, which ctest would report as "skipped".
exec "$tree/fuzz/$target" -max_total_time="$seconds" -timeout=20 -rss_limit_mb=2048 -error_exitcode=1 \
  -timeout_exitcode=1 -artifact_prefix="$tree/fuzz/failed/$target-" -print_final_stats=1 "${seeds[@]}"
