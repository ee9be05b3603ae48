#pragma once

#include <string_view>

namespace sonde::dispatch {

/// Whether the end of what a failed program printed says that a GPU's memory ran out.
[[nodiscard]] bool tells_of_full_gpu_memory(std::string_view end_of_output);

}  // namespace sonde::dispatch
