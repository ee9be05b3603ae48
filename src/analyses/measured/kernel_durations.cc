#include "analyses/measured/kernel_durations.h"

#include <cmath>

#include "metrics/quantities.h"
#include "trace/columns.h"

namespace sonde {

int64_t measured_duration_ns(const Trace& trace, const KernelProfile& profile) {
  constexpr double kLongest = 1e15;  // 11 days; what is beyond it in a damaged report is no duration
  const auto duration = quantity_value("duration", trace, profile);
  const bool sound = duration && std::isfinite(*duration) && *duration > 0 && *duration < kLongest;
  return sound ? std::llround(*duration) : 0;
}

std::vector<int64_t> kernel_durations(const Trace& trace) {
  std::vector<int64_t> durations;
  const Kernels& k = trace.kernels;
  reserve_column(durations, row_count(k));
  for (Row row = 0; row < row_count(k); ++row) durations.push_back(k.end[row] - k.start[row]);
  if (!durations.empty()) return durations;
  for (const KernelProfile& profile : trace.kernel_profiles) {
    if (const int64_t duration = measured_duration_ns(trace, profile); duration > 0) durations.push_back(duration);
  }
  return durations;
}

}  // namespace sonde
