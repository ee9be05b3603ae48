#include "findings/facts.h"

#include "analyses/run_extent.h"

namespace sonde {

namespace {

Span steady_part(const Span whole, const std::optional<WarmUp>& steps) {
  if (!steps || steps->steady_end_ns <= steps->steady_start_ns) return whole;
  return {steps->steady_start_ns, steps->steady_end_ns};
}

}  // namespace

Facts::Facts(const Trace& run)
    : trace(run),
      steps(find_warm_up(run, run_extent(run).second - run_extent(run).first)),
      extent(steady_part(run_extent(run), steps)),
      gpus(gpus_of(run)),
      shares(share_gpu_time(run, gpus)),
      idle(idle_totals(run, gpus, extent)),
      api_kinds(sonde::api_kinds(run)) {}

int64_t Facts::per_gpu(int64_t ns) const { return gpus.gpus.empty() ? 0 : ns / static_cast<int64_t>(gpus.gpus.size()); }

double Facts::percent_of_wall(int64_t ns) const {
  return wall_ns() > 0 ? 100 * static_cast<double>(ns) / static_cast<double>(wall_ns()) : 0;
}

}  // namespace sonde
