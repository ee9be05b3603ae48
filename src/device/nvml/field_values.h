#pragma once

#include <span>

#include "device/nvml/readers.h"

namespace sonde::device::nvml {

/// A value that is asked for by number, and where it goes.
struct FieldOf {
  unsigned field;
  std::optional<int64_t> GpuReading::* value;
};

/// A field's value as an integer; absent where its own code or its type forbids it.
[[nodiscard]] std::optional<int64_t> integer_of(const FieldValue& field);

/// Asks for all of them in one call. Success also where single ones are absent.
[[nodiscard]] Return read_fields(const Asked& asked, std::span<const FieldOf> fields);

}  // namespace sonde::device::nvml
