#pragma once

#include <string_view>
#include <vector>

#include "trace/trace.h"

namespace sonde {

/// The names (coverage.inc) of those of these fields that have no row in the profile.
[[nodiscard]] std::vector<std::string_view> not_recorded_of(const Trace& trace, const Fields& fields);

}  // namespace sonde
