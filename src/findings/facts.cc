#include "findings/facts.h"

#include <algorithm>
#include <utility>

#include "base/system/parallel.h"
#include "trace/brief_kernel_name.h"
#include "trace/columns.h"

namespace sonde {
Facts::Facts(const Trace& of, std::optional<KernelJoin> measured, std::optional<WithoutRecorder> without)
    : trace(of), gpus(gpus_of(of)), kernels(std::move(measured)), recorder(std::move(without)) {
  run_together({[&] {
                  parts = parts_of_run(of);
                  run = parts.run;
                },
                [&] {
                  api_kinds = sonde::api_kinds(of);
                  launched = recorded_launches(of, api_kinds);
                  kernel_classes = sonde::kernel_classes(of);
                },
                [&] { shares = share_gpu_time(of, gpus); },
                [&] {
                  communication = communication_kinds(of);
                  collectives = match_collectives(of, gpus, communication);
                  activity = gpu_activity(of, gpus, communication);
                }});
  if (sonde::is_kernel_report(of)) launches = measured_launches(of);
  if (is_kernel_report()) {
    extent = {0, launches.back().start_ns + launches.back().duration_ns};
  } else {
    look_at(parts.parts.front());
  }
}

void Facts::leave_out_cut() {
  cut.reset();
  cut = window_cut(trace, launched, launching_time());
  if (!cut || static_cast<double>(cut->start_ns - extent.first) < kMinUncutPart * static_cast<double>(wall_ns()))
    return;
  if (!steps) {
    extent.second = cut->start_ns;
    return;
  }
  std::vector<Span>& steady = steps->steady;
  const auto cut_off = std::ranges::find_if(steady, [&](const Span& step) { return step.second > cut->start_ns; });
  const auto whole = static_cast<size_t>(cut_off - steady.begin());
  if (whole == 0 || whole < std::min(kMinSteadySteps, steady.size())) return;
  steady.resize(whole);
  steps->launched.resize(whole);
  extent.second = steady.back().second;
}

void Facts::look_at(const JudgedPart& part) {
  steps = part.steps;
  extent = part.extent;
  replayed_.reset();
  leave_out_cut();
}

bool Facts::judged_on_host(int64_t start_ns) const {
  const Span time = steps && !steps->launched.empty()
                        ? Span{steps->launched.front().first, steps->launched.back().second}
                        : launching_time();
  return start_ns >= time.first && start_ns < time.second;
}

size_t Facts::steps_begun(int64_t time_ns) const {
  if (!steps) return 0;
  return static_cast<size_t>(std::ranges::upper_bound(steps->steady, time_ns, {}, &Span::first) -
                             steps->steady.begin());
}

uint32_t Facts::step_of(int64_t time_ns) const {
  const size_t begun = has_named_steps() ? steps_begun(time_ns) : 0;
  if (begun == 0 || time_ns >= steps->steady[begun - 1].second) return kNone;
  return static_cast<uint32_t>(begun - 1);
}

std::string Facts::kernel_name(Row kernel) const { return brief_kernel_name(trace.name(trace.kernels.name[kernel])); }

int64_t Facts::per_gpu(int64_t ns) const { return gpus.gpus.empty() ? 0 : ns / static_cast<int64_t>(gpus.gpus.size()); }

double Facts::percent_of_wall(int64_t ns) const {
  return wall_ns() > 0 ? 100 * static_cast<double>(ns) / static_cast<double>(wall_ns()) : 0;
}

int64_t Facts::judged_busy_ns() const {
  int64_t busy = 0;
  for_each_gpu_table(trace, [&](const GpuOps& ops) {
    const Longs& of_ops = shares.of(trace, ops);
    for (Row row = 0; row < row_count(ops); ++row) busy += judged(ops.start[row]) ? of_ops[row] : 0;
  });
  return busy;
}

const OperatorCalls& Facts::operators() const {
  return operators_.get([&] { return operator_calls(trace); });
}

Facts::OfExtent Facts::replay_extent() const {
  Replays replays(trace, gpus, collectives, api_kinds, extent);
  // What follows the last operation of a host that is ahead is still a part of the judged time.
  const int64_t end_ns = std::max(extent.second, replays.end_ns({}));
  return {std::move(replays), end_ns};
}

int64_t Facts::saving_ns(const Change& change) const {
  if (change.empty()) return 0;
  const OfExtent& unchanged = replayed_.get([&] { return replay_extent(); });
  return unchanged.unchanged_end_ns - unchanged.replays.end_ns(change);
}

}  // namespace sonde
