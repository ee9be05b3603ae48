#pragma once

#include <cstdint>
#include <string_view>

#include "base/error.h"

namespace sonde {

/// Nanoseconds from a text as Nsight Systems takes it: numbers with units and no spaces, added up ("1s2ms3us4ns").
/// Units: ns nsec us usec ms msec s sec m min h hour; a number without one is nanoseconds. A sign, a fraction and an
/// exponent are allowed.
[[nodiscard]] Result<int64_t> parse_duration(std::string_view whole);

}  // namespace sonde
