#pragma once

#include "inject/gpu_metrics/metric_set.h"
#include "inject/gpu_metrics/pm_sampling.h"

/// Which of the wanted metrics a chip can count in one pass, and how.
namespace sonde::inject::gpu_metrics {

struct Plan {
  void* host = nullptr;  ///< CUPTI's object, which evaluates values
  const char* names[wire::kMaxSampledMetrics] = {};
  const MetricChoice* choices[wire::kMaxSampledMetrics] = {};
  uint32_t count = 0;
  uint8_t* config = nullptr;
  size_t config_bytes = 0;
};

/// Tells the recorder of the metrics that are left out. False where nothing can be counted, which is reported too.
[[nodiscard]] bool make_plan(Plan& plan, const PmSampling& sampling, const MetricSet& wanted, uint32_t device,
                             const char* chip, const uint8_t* availability) noexcept;

}  // namespace sonde::inject::gpu_metrics
