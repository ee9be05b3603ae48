#pragma once

#include <string_view>

#include "analyses/tables/groups.h"
#include "trace/trace.h"

namespace sonde {

/// Durations of CUDA API calls by the names that reports print (api_label()).
[[nodiscard]] Groups<std::string_view> api_calls_by_name(const Trace& trace);

}  // namespace sonde
