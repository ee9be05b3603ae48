#pragma once

#include <string_view>

namespace sonde {

/// What to type for a command of nsys, ncu, nvidia-smi or dcgmi, in half a sentence; empty where it is none.
[[nodiscard]] std::string_view in_place_of(std::string_view command);

}  // namespace sonde
