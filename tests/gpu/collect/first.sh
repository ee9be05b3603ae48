# First on a new host: one of everything, so that one call shows what works and keeps the evidence of what does not.
# shellcheck shell=sh disable=SC2034,SC2154  # read by and of tests/gpu/run

budget_first=300
about_first="one of everything, with whole logs and profiles"
parts_first="probe self_test timeline graph_nodes late_start counters source_lines instructions gpu_metrics managed torch"

# What CUPTI answers, once for each CUPTI of this host.
first_probe() {
  need gpu cupti || return
  number=0
  while read -r library; do
    number=$((number + 1))
    step "cupti_$number" 60 env CUDA_INJECTION64_PATH="$programs/libgpu_probe.so" GPU_PROBE_OUT="$place/cupti_$number.answers" \
      SONDE_CUPTI="$library" "$program" timed 1000 10
  done <"$out/host/cupti"
}

first_self_test() {
  need gpu || return
  step self_test 120 "$SONDE" record -f -o "$place/self_test.sqlite" -- "$program" work 2
}

first_timeline() {
  need gpu || return
  record timeline 60 -t cuda,nvtx,osrt -- "$program" work 10
}

first_graph_nodes() {
  need gpu || return
  record graph_nodes 60 -t cuda,nvtx --cuda-graph-trace=node -- "$program" graph 10
}

first_late_start() {
  need gpu || return
  record late_start 60 -t cuda,nvtx -c cudaProfilerApi --capture-range-end=stop -- "$program" profiler 10
}

first_counters() {
  need gpu || return
  record counters 120 --metrics basic --launch-count 1 -- "$program" work 3
}

first_source_lines() {
  need gpu || return
  record source_lines 120 --section SourceCounters --launch-count 1 -- "$program" hot 2
}

first_instructions() {
  need gpu || return
  record instructions 120 --instruction-counts --launch-count 1 -- "$program" hot 2
}

first_gpu_metrics() {
  need gpu || return
  record gpu_metrics 60 -t cuda --gpu-metrics-devices=0 -- "$program" timed 40 50
}

first_managed() {
  need gpu || return
  record managed 60 -t cuda --cuda-um-cpu-page-faults=true --cuda-um-gpu-page-faults=true -- "$program" managed 2
}

first_torch() {
  need gpu torch || return
  record torch 120 -t cuda,nvtx --torch-modules=true -- "$python" "$here/torch_programs/training_step.py" --steps 5
}
