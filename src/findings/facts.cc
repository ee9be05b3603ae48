#include "findings/facts.h"

#include "analyses/run_extent.h"

namespace sonde {

Facts::Facts(const Trace& run)
    : trace(run),
      extent(run_extent(run)),
      gpus(gpus_of(run)),
      shares(share_gpu_time(run, gpus)),
      idle(idle_totals(run, gpus, extent)),
      api_kinds(sonde::api_kinds(run)),
      steps(find_warm_up(run, extent.second - extent.first)) {}

int64_t Facts::per_gpu(int64_t ns) const { return gpus.gpus.empty() ? 0 : ns / static_cast<int64_t>(gpus.gpus.size()); }

double Facts::percent_of_wall(int64_t ns) const {
  return wall_ns() > 0 ? 100 * static_cast<double>(ns) / static_cast<double>(wall_ns()) : 0;
}

}  // namespace sonde
