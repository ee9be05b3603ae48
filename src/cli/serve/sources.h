#pragma once

#include <functional>
#include <memory>

#include "base/error.h"
#include "config/config.h"
#include "device/device.h"
#include "device/simulated/source.h"

namespace sonde::serve {

/// Where the service reads GPUs. Thread-safe.
struct Sources {
  std::function<Result<std::shared_ptr<device::DeviceSource>>()> open;
  /// The simulated GPUs that were opened last; null for real ones.
  std::function<std::shared_ptr<device::simulated::Source>()> simulated;
};
[[nodiscard]] Sources sources_of(const config::Devices& devices);

/// A driver can come later; a description of simulated GPUs that cannot be read is a mistake of whoever started this.
[[nodiscard]] Status check_simulated(const config::Devices& devices);

}  // namespace sonde::serve
