#pragma once

#include <chrono>
#include <memory>
#include <string>

#include "device/device.h"

namespace sonde {

/// Which GPUs a command looks at.
struct GpuSourceChoice {
  std::string simulated;  ///< description of simulated GPUs; empty: this host's
  std::string at = "0s";  ///< with simulated ones: this long after their start
  double patience_s = 5;  ///< of a read; opening the driver gets more
};

[[nodiscard]] Result<std::shared_ptr<device::DeviceSource>> open_gpu_source(const GpuSourceChoice& choice);

[[nodiscard]] inline std::chrono::milliseconds of_seconds(double seconds) {
  return std::chrono::milliseconds(static_cast<int64_t>(seconds * 1000));
}

/// Seconds that the machine's time zone is ahead of UTC at a moment.
[[nodiscard]] int64_t utc_offset_s(int64_t moment_s);

}  // namespace sonde
