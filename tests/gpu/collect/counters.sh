# Counters, sampled source lines, and counters over time; beside Nsight Compute's.
# shellcheck shell=sh disable=SC2034,SC2154  # read by and of tests/gpu/run

budget_counters=480
about_counters="counters against Nsight Compute's, source lines, and GPU metrics over time"
parts_counters="against_ncu same_output sets hot_line beside_counters instructions lines_against_ncu pip_cupti
  metrics_frequency metrics_values metrics_clock"

# Only counters that depend neither on clocks nor on what the caches hold: axpy's 8 MB stay in the L2 cache.
compared_counters=smsp__inst_executed.sum,smsp__sass_thread_inst_executed_op_ffma_pred_on.sum,l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum

# By default ncu flushes the caches and locks the clocks: --cache-control and --clock-control keep it from that.
counters_against_ncu() {
  need gpu || return
  record ours 90 --metrics "$compared_counters" --kernel-regex axpy --launch-count 1 -- "$program" work 3
  need ncu || return
  step theirs 120 "$(find_tool ncu)" --cache-control none --clock-control none --csv --page raw --print-units base \
    --metrics "$compared_counters" -k regex:axpy -c 1 "$program" work 3
}

# Kernel replay runs a launch several times: what the program computes must stay the same.
counters_same_output() {
  need gpu || return
  step alone 60 "$program" work 5
  record replayed 120 --set full -- "$program" work 5
}

counters_sets() {
  need gpu || return
  for set in basic detailed full; do
    record "$set" 90 --set "$set" --launch-count 1 --kernel-regex axpy -- "$program" work 2
  done
}

counters_hot_line() {
  need gpu || return
  record lines 90 --section SourceCounters --launch-count 1 -- "$program" hot 2 || return
  step page 60 "$SONDE" kernel "$place/lines.sqlite"
}

# Set full: the second launch is sampled in place of the first, whose counters were measured.
counters_beside_counters() {
  need gpu || return
  record both 120 --set full --launches-each 1 -- "$program" hot 2
}

counters_instructions() {
  need gpu || return
  record counts 120 --metrics smsp__inst_executed.sum --instruction-counts --launches-each 1 -- "$program" hot 2
}

counters_lines_against_ncu() {
  need gpu ncu || return
  record ours 90 --section SourceCounters --launch-count 1 -- "$program" hot 2
  step theirs 120 "$(find_tool ncu)" --cache-control none --clock-control none -f --section SourceCounters -c 1 \
    -o "$place/theirs.ncu-rep" "$program" hot 2 || return
  step converted 60 "$SONDE" convert "$place/theirs.ncu-rep" "$place/converted.sqlite"
}

# CUPTI of Python's packages, which finds no library of its own on the loader's path.
counters_pip_cupti() {
  need gpu || return
  library=$(grep /nvidia/ "$out/host/cupti" | head -n 1)
  [ -n "$library" ] || cannot "no CUPTI of Python's packages" || return
  SONDE_CUPTI=$library record pip 90 --metrics basic --launch-count 1 -- "$program" work 2
}

counters_metrics_frequency() {
  need gpu || return
  for hertz in 1000 10000; do
    record "at_$hertz" 60 -t none --gpu-metrics-devices=0 --gpu-metrics-frequency=$hertz -- "$program" timed 500
  done
}

counters_metrics_values() {
  need gpu || return
  record values 60 -t none --gpu-metrics-devices=0 -- "$program" timed 500
}

# Kernels of 50 ms: many samples lie within each, whatever the clocks are off by.
counters_metrics_clock() {
  need gpu || return
  record clock 90 -t cuda --gpu-metrics-devices=0 -- "$program" timed 100 50
}
