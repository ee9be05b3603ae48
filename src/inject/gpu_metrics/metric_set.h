#pragma once

#include <cstdint>

#include "wire/gpu_metrics_record.h"

/// What is to be sampled.
namespace sonde::inject::gpu_metrics {

struct MetricChoice {
  static constexpr uint32_t kMostNames = 2;
  const char* shown = nullptr;
  double factor = 1;                   ///< from NVIDIA's unit to the one in the shown name
  const char* names[kMostNames] = {};  ///< of NVIDIA's, the best first
};

struct MetricSet {
  MetricChoice choices[wire::kMaxSampledMetrics];  ///< what matters most first
  uint32_t count = 0;
};

/// The metrics that the recorder names, or Sonde's general set where it names none. Read at the first call, which is to
/// come from one thread.
[[nodiscard]] const MetricSet& wanted_metrics() noexcept;

}  // namespace sonde::inject::gpu_metrics
