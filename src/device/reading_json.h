#pragma once

#include <nlohmann/json.hpp>

#include "device/fields.h"

/// A reading as JSON: null for what the GPU does not give. `sonde gpus --json` and the service's API have the same.
namespace sonde::device {

/// One value; numbers that stand for something are given in words.
[[nodiscard]] nlohmann::ordered_json value_json(const ValueRow& row, const GpuReading& reading);
[[nodiscard]] nlohmann::ordered_json nvlinks_json(const GpuReading& reading);
[[nodiscard]] nlohmann::ordered_json mig_devices_json(const GpuReading& reading);

}  // namespace sonde::device
