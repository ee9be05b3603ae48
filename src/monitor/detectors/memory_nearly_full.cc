#include "monitor/detectors/shared_each_gpu.h"
#include "monitor/detectors/shared_hysteresis.h"
#include "monitor/detectors/shared_shown.h"

namespace sonde::monitor {
namespace memory_nearly_full {
namespace {

/// Full memory is how frameworks with their own allocator work: worth knowing, not worth waking somebody.
constexpr double kOnAfterS = 60;
constexpr double kOffAfterS = 60;
constexpr double kBack = 0.02;

struct Kept {
  Hysteresis full;
  double used = 0;
  double total = 0;
};

void look(const GpuLook& gpu, Kept& kept, std::vector<Observation>& found) {
  std::optional<double> share;
  if (gpu.reading != nullptr && gpu.reading->memory_used_bytes && gpu.reading->memory_total_bytes.value_or(0) > 0) {
    kept.used = static_cast<double>(*gpu.reading->memory_used_bytes);
    kept.total = static_cast<double>(*gpu.reading->memory_total_bytes);
    share = kept.used / kept.total;
  }
  const double limit = gpu.round.config->gpu.memory_threshold;
  if (!kept.full.take(share, {limit, limit - kBack, kOnAfterS, kOffAfterS}, gpu.round.moment_ns)) return;
  found.push_back({.gpu = gpu.sample.gpu,
                   .severity = Severity::info,
                   .text = "memory_nearly_full",
                   .arguments = {{"used", shown_gib(kept.used)},
                                 {"total", shown_gib(kept.total)},
                                 {"share", shown_percent(100 * kept.used / kept.total)},
                                 {"limit", shown_percent(100 * limit)}}});
}

}  // namespace
}  // namespace memory_nearly_full

extern constinit const DetectorRow memory_nearly_full_detector = {
    .name = "memory_nearly_full",
    .description = "the share of memory in use is above gpu.memory_threshold for 1 min",
    .clear_after_s = 0,
    .make = each_gpu<memory_nearly_full::Kept, memory_nearly_full::look>,
    .severity = "info",
    .clears = "2 % of the memory below for 1 min",
};

}  // namespace sonde::monitor
