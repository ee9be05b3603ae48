#pragma once

#include <chrono>
#include <memory>

#include "device/device.h"

namespace sonde::device {

/// open_nvml() on a thread of its own: a broken driver can keep that call for ever. An error when `timeout` is over.
[[nodiscard]] Result<std::shared_ptr<DeviceSource>> open_nvml_within(std::chrono::milliseconds timeout,
                                                                     const std::string& path = {});

}  // namespace sonde::device
