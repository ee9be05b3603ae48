# Recordings of programs that do a known amount of work.
# shellcheck shell=sh disable=SC2034,SC2154  # read by and of tests/gpu/run

budget_timeline=480
about_timeline="counts and times against what programs did, and against CUDA's events"
parts_timeline="work event_times streams graphs capture_range late_duration repeated_ranges sessions managed memory_usage
  two_contexts reset plain_exit sigterm idle_minute million"

# recorded NAME OPTIONS... -- PROGRAM...
recorded() {
  need gpu || return
  name=$1
  shift
  record "$name" 60 "$@"
}

timeline_work() { recorded work -t cuda,nvtx -- "$program" work 50; }
timeline_event_times() { recorded timed -t cuda,nvtx -- "$program" timed 50; }
timeline_streams() { recorded streams -t cuda,nvtx -- "$program" streams 100; }

timeline_graphs() {
  recorded graph -t cuda,nvtx -- "$program" graph 40
  recorded nodes -t cuda,nvtx --cuda-graph-trace=node -- "$program" graph 40
}

timeline_capture_range() {
  recorded range -t cuda,nvtx -c cudaProfilerApi --capture-range-end=stop -- "$program" profiler 30
}

timeline_late_duration() { recorded late -t cuda,nvtx -y 1 -- "$program" timed 1500; }
timeline_repeated_ranges() {
  recorded idle -t cuda,nvtx -c cudaProfilerApi --capture-range-end=repeat:2 -- "$program" idle 2 5
}

# The same program recorded twice while it runs, by commands from outside.
timeline_sessions() {
  need gpu || return
  [ "$(left)" -ge 30 ] || not_reached || return
  set -- "$SONDE" launch --session-new gpu_kit_$$ -t cuda,nvtx -- "$program" timed 6000 2
  echo "$*" >"$place/launch.command"
  timeout -k "$grace" "$(left)" "$@" >"$place/launch.out" 2>"$place/launch.err" </dev/null &
  launched=$!
  sleep 3
  for round in 1 2; do
    step "start_$round" 30 "$SONDE" start --session gpu_kit_$$ -f -o "$place/session_$round.sqlite"
    sleep 2
    step "stop_$round" 60 "$SONDE" stop --session gpu_kit_$$
    sleep 1
  done
  kill "$launched" 2>/dev/null
  wait "$launched" 2>/dev/null
}

timeline_managed() {
  recorded managed -t cuda --cuda-um-cpu-page-faults=true --cuda-um-gpu-page-faults=true -- "$program" managed 3
}
timeline_memory_usage() { recorded memory -t cuda --cuda-memory-usage=true -- "$program" work 3; }
timeline_two_contexts() { recorded twoctx -t cuda,nvtx -- "$program" twoctx 10; }
timeline_reset() { recorded reset -t cuda,nvtx -- "$program" reset 10; }
timeline_plain_exit() { recorded exit -t cuda,nvtx -- "$program" exit 20; }
timeline_sigterm() { recorded sigterm -t cuda,nvtx -- "$program" sigterm 20; }

# Clocks drift, and buffers age: the second range begins a minute after the first.
timeline_idle_minute() {
  need gpu || return
  record idle 150 -t cuda,nvtx -c cudaProfilerApi --capture-range-end=repeat:2 -- "$program" idle 2 60
}

timeline_million() {
  need gpu || return
  record many 120 -t cuda -- "$program" many 1000000
}
