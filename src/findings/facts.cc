#include "findings/facts.h"

#include <algorithm>
#include <utility>

#include "analyses/steps/run_extent.h"

namespace sonde {
namespace {

Span steady_part(const Span whole, const std::optional<WarmUp>& steps) {
  if (!steps || steps->steady.empty() || steps->steady.back().second <= steps->steady.front().first) return whole;
  return {steps->steady.front().first, steps->steady.back().second};
}

}  // namespace

Facts::Facts(const Trace& of, std::optional<KernelJoin> measured)
    : trace(of),
      run(run_extent(of)),
      steps(find_warm_up(of, run.second - run.first)),
      extent(steady_part(run, steps)),
      gpus(gpus_of(of)),
      shares(share_gpu_time(of, gpus)),
      api_kinds(sonde::api_kinds(of)),
      kernel_classes(sonde::kernel_classes(of)),
      communication(communication_kinds(of)),
      collectives(match_collectives(of, gpus, communication)),
      activity(gpu_activity(of, gpus, communication)),
      kernels(std::move(measured)) {
  if (!sonde::is_kernel_report(of)) return;
  launches = measured_launches(of);
  if (!launches.empty()) extent = {0, launches.back().start_ns + launches.back().duration_ns};
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

int64_t Facts::per_gpu(int64_t ns) const { return gpus.gpus.empty() ? 0 : ns / static_cast<int64_t>(gpus.gpus.size()); }

double Facts::percent_of_wall(int64_t ns) const {
  return wall_ns() > 0 ? 100 * static_cast<double>(ns) / static_cast<double>(wall_ns()) : 0;
}

int64_t Facts::saving_ns(const Change& change) const {
  if (change.empty()) return 0;
  const auto end = [&](const Change& c) { return replayed_end_ns(trace, gpus, collectives, api_kinds, extent, c); };
  if (!unchanged_end_ns_) unchanged_end_ns_ = end({});
  return *unchanged_end_ns_ - end(change);
}

}  // namespace sonde
