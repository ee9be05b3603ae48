# Programs with one known fault each, and with its fix: measured without a profiler, then recorded.
# shellcheck shell=sh disable=SC2034,SC2154  # read by and of tests/gpu/run

budget_truth=540
about_truth="programs with a planted fault and its fix: unprofiled, under PyTorch's profiler, under Sonde"
parts_truth="mix pageable_copy attention_eager elementwise_big sync_cpu graph_infer alloc_nocache resnet50_nchw rtdetr_b8
  gemm_saturated"

# All cases share one folder and one truth.json.
measure_truth() {
  [ "$device" = cpu ] || need gpu || return
  need torch || return
  options="--device $device"
  [ "$device" != cpu ] || options="$options --tiny"
  # shellcheck disable=SC2086  # the options are a list
  step "$1" 150 "$python" "$here/torch_programs/truth.py" "$1" --into "$out/truth" --seconds 140 $options
}

for case_of_truth in $parts_truth; do
  eval "truth_$case_of_truth() { measure_truth $case_of_truth; }"
done
