#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace sonde {

enum class Paint : uint8_t { strong, good, note, warning, error };

/// The text in this paint of a terminal; as it is where there are no `colors`.
[[nodiscard]] std::string painted(std::string_view text, Paint paint, bool colors);

}  // namespace sonde
