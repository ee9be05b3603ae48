#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "device/device.h"

namespace sonde::monitor {

/// How far a sample can be trusted.
enum class Quality {
  fresh,
  stale,         ///< older than it should be: the GPU did not answer in time
  absent,        ///< never read, or the GPU is lost
  contradictory  ///< its values cannot be true together: full use at idle power
};
[[nodiscard]] std::string_view quality_name(Quality quality);

/// Why a sample is not fresh, a row each: quality/list.inc.
struct QualityMark {
  Quality quality = Quality::fresh;
  std::string reason;  ///< in one sentence; empty when fresh
};

/// A GPU at one round of reading.
struct GpuSample {
  size_t gpu = 0;         ///< place in the source's order
  int64_t moment_ns = 0;  ///< since 1970, when the read that gave `reading` came back; 0 for never
  device::GpuReading reading;
  std::optional<device::GpuFailure> failure;  ///< of the last read
  QualityMark mark;
};

}  // namespace sonde::monitor
