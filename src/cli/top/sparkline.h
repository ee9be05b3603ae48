#pragma once

#include <cstddef>
#include <deque>
#include <optional>
#include <string>

namespace sonde::top {

/// The latest `width` values (0 to 100) as a character each, the latest at the right; a blank where there is none.
[[nodiscard]] std::string sparkline(const std::deque<std::optional<double>>& percents, size_t width, bool ascii);

}  // namespace sonde::top
