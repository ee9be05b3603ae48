#include <algorithm>

#include "monitor/detectors/shared_counter.h"
#include "monitor/detectors/shared_each_gpu.h"
#include "monitor/detectors/shared_shown.h"

namespace sonde::monitor {
namespace ecc_uncorrected {
namespace {

/// A GPU that had an uncorrectable error is likelier to have another; an hour is what people need to look at it.
constexpr int64_t kOpenForNs = 3600LL * 1'000'000'000;

struct Kept {
  Growth growth;
  int64_t errors = 0;
  int64_t last_ns = 0;
};

void look(const GpuLook& gpu, Kept& kept, std::vector<Observation>& found) {
  const auto total = gpu.reading == nullptr ? std::nullopt : gpu.reading->ecc_uncorrected_volatile_total;
  const int64_t now_ns = gpu.round.moment_ns;
  kept.last_ns = std::min(kept.last_ns, now_ns);  // clocks are set back
  if (kept.errors > 0 && now_ns - kept.last_ns >= kOpenForNs) kept.errors = 0;
  const int64_t new_errors = kept.growth.take(total).value_or(0);
  if (new_errors > 0) {
    kept.errors += new_errors;
    kept.last_ns = now_ns;
  }
  if (kept.errors == 0) return;
  found.push_back(
      {.gpu = gpu.sample.gpu,
       .severity = Severity::critical,
       .text = "ecc_uncorrected",
       .arguments = {{"errors", shown_count(kept.errors, "uncorrectable memory error", "uncorrectable memory errors")},
                     {"index", std::to_string(gpu.sample.gpu)}},
       .happened = new_errors});
}

}  // namespace
}  // namespace ecc_uncorrected

extern constinit const DetectorRow ecc_uncorrected_detector = {
    .name = "ecc_uncorrected",
    .description = "the count of uncorrectable memory errors (volatile) increased",
    .clear_after_s = 60,
    .make = each_gpu<ecc_uncorrected::Kept, ecc_uncorrected::look>,
    .severity = "critical",
    .clears = "no new error for 1 h, or the driver was reloaded",
};

}  // namespace sonde::monitor
