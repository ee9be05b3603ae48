#pragma once

#include <string_view>

#include "analyses/groups.h"
#include "trace/trace.h"

namespace sonde {

/// Adds the duration of each CUDA API call to the group of its name, without the version that runtime names end in.
void add_api_calls(const Trace& trace, Groups<std::string_view>& groups);

}  // namespace sonde
