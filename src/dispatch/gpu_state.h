#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace sonde::dispatch {

/// A GPU as the dispatcher sees it when it decides: what the last sample said, without what its own tasks hold.
struct GpuState {
  size_t index = 0;  ///< gpu_N
  std::string uuid;
  std::string name;
  std::optional<int64_t> compute_capability;  ///< 100 * major + minor
  std::optional<int64_t> memory_total_bytes;  ///< that programs can have: without what the driver keeps
  std::optional<int64_t> memory_used_bytes;
  std::optional<int64_t> foreign_bytes;  ///< of memory_used_bytes, what no task of this service holds
  std::optional<double> utilization;     ///< share
  std::optional<double> temperature_celsius;
  int64_t moment_ns = 0;  ///< of the sample
  std::string trouble;    ///< why no task may start there (lost, a critical incident, not read for long); empty: none
};

}  // namespace sonde::dispatch
