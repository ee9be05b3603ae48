#pragma once

#include <vector>

#include "trace/trace.h"

namespace sonde {

/// For each row of `api`, whether GPU work of it is in the profile.
[[nodiscard]] std::vector<bool> launching_calls(const Trace& trace);

}  // namespace sonde
