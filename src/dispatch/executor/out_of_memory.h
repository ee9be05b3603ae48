#pragma once

#include <string_view>

namespace sonde::dispatch {

/// Whether the end of what a failed program printed says that a GPU's memory ran out.
[[nodiscard]] bool reports_gpu_out_of_memory(std::string_view end_of_output);

}  // namespace sonde::dispatch
