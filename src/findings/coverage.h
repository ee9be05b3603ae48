#pragma once

#include <string_view>
#include <vector>

#include "trace/trace.h"

namespace sonde {

/// What of these fields the profile holds no row of, as people call it (coverage.inc).
[[nodiscard]] std::vector<std::string_view> not_recorded_of(const Trace& trace, const Fields& fields);

}  // namespace sonde
