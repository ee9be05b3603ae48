# Recordings of PyTorch beside its own profiler, and what recording costs.
# shellcheck shell=sh disable=SC2034,SC2154  # read by and of tests/gpu/run

budget_pytorch=540
about_pytorch="recordings of PyTorch against its own profiler, and what recording costs"
parts_pytorch="kernels modules profiler_inside workers keeps_running study launch_cost training_cost rtdetr_cost"
training=$here/torch_programs/training_step.py

# CUPTI serves one of the two in a process: the same program runs once under each, with the same seed.
pytorch_kernels() {
  need gpu torch || return
  step theirs 120 "$python" "$training" --steps 30 --torch-profiler "$place/theirs.json"
  record ours 120 -t cuda,nvtx -- "$python" "$training" --steps 30
}

pytorch_modules() {
  need gpu torch || return
  record modules 180 -t cuda,nvtx --torch-modules=true -- "$python" "$examples/rtdetr.py" --steps 10 || return
  step table 60 "$SONDE" modules "$place/modules.sqlite"
}

pytorch_profiler_inside() {
  need gpu torch || return
  record both 120 -t cuda,nvtx -- "$python" "$training" --steps 10 --torch-profiler "$place/inside.json"
}

# Workers of a DataLoader end by os._exit().
pytorch_workers() {
  need gpu torch || return
  record workers 120 -t cuda,nvtx -- "$python" "$training" --steps 10 --workers 2
}

# Recording ends before the program does.
pytorch_keeps_running() {
  need gpu torch || return
  record part 120 -t cuda,nvtx -y 12 -d 3 --kill none -- "$python" "$training" --steps 2000 --seconds 25
}

pytorch_study() {
  need gpu torch || return
  step study 300 "$SONDE" study -f --torch-modules -o "$place/rtdetr" -- "$python" "$examples/rtdetr.py" --steps 5 || return
  step table 60 "$SONDE" modules -q --min-percent 0 --format csv "$place/rtdetr.sqlite" "$place/rtdetr.kernels.sqlite"
}

# in_turns ROUNDS SECONDS PROFILED PROGRAM...: alone, under Sonde, with --torch-profiler if PROFILED is yes, and under nsys
# if the host has it; round by round, so that what drifts touches all alike.
in_turns() {
  rounds=$1
  limit_of_turn=$2
  profiled=$3
  shift 3
  round=0
  while [ "$round" -lt "$rounds" ]; do
    round=$((round + 1))
    step "alone_$round" "$limit_of_turn" "$@" || return
    record "sonde_$round" "$limit_of_turn" -t cuda,nvtx -- "$@" || return
    [ "$profiled" != yes ] || step "torch_profiler_$round" "$limit_of_turn" "$@" --torch-profiler || return
    find_tool nsys >/dev/null || continue
    step "nsys_$round" "$limit_of_turn" "$(find_tool nsys)" profile -f true -t cuda,nvtx -s none -o "$place/nsys" "$@" || return
  done
}

pytorch_launch_cost() {
  need gpu || return
  in_turns 5 30 no "$program" loop 200
}

# A start of PyTorch takes long: two rounds.
pytorch_training_cost() {
  need gpu torch || return
  in_turns 2 90 yes "$python" "$training"
}

pytorch_rtdetr_cost() {
  need gpu torch || return
  in_turns 2 120 yes "$python" "$examples/rtdetr.py"
}
