#pragma once

#include <string_view>
#include <vector>

#include "analyses/gpus/busy_time.h"
#include "trace/trace.h"

namespace sonde {

/// Whether frameworks or people give this name to the loading of data (data_loading_names.inc).
[[nodiscard]] bool loads_data(std::string_view range_name);

/// The push/pop ranges of all threads that load data, but those of Python's call stacks, merged.
[[nodiscard]] std::vector<Span> data_loading_spans(const Trace& trace);

}  // namespace sonde
