#pragma once

#include <string>
#include <string_view>

namespace sonde {

/// A text in which every absolute path is cut to its last two parts: what recorders say of themselves names home
/// folders, and those are nobody's business.
[[nodiscard]] std::string without_paths(std::string_view text);

}  // namespace sonde
