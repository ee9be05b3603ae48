# Programs with one known fault each, and with its fix: measured without a profiler, then recorded.
# shellcheck shell=sh disable=SC2034,SC2154  # read by and of tests/gpu/run

budget_truth=540
about_truth="programs with a planted fault and its fix: unprofiled, under PyTorch's profiler or ncu, under Sonde"
parts_truth="k01_uncoalesced k03_registers k07_fp64 mix pageable_copy attention_eager elementwise_big sync_cpu graph_infer
  alloc_nocache resnet50_nchw rtdetr_b8 gemm_saturated"

# All cases share one folder and one truth.json. Kernels first: they take seconds, and need no PyTorch.
measure_truth() {
  case $1 in
    k[0-9]*) need gpu python || return ;;
    *) { [ "$device" = cpu ] || need gpu; } && need torch || return ;;
  esac
  options="--device $device"
  [ "$device" != cpu ] || options="$options --tiny"
  ! find_tool ncu >/dev/null || options="$options --ncu $(find_tool ncu)"
  # shellcheck disable=SC2086  # the options are a list
  step "$1" 150 "$python" "$here/torch_programs/truth.py" "$1" --into "$out/truth" --kernels "$programs/kernel_cases" \
    --seconds "$(least 140 "$(left)")" $options
}

for case_of_truth in $parts_truth; do
  eval "truth_$case_of_truth() { measure_truth $case_of_truth; }"
done
