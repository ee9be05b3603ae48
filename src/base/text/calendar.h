#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace sonde {

/// A moment as "2023-10-16T23:22:18" (ISO 8601); `between` stands between day and time. Leap seconds are not counted.
[[nodiscard]] std::string moment_text(int64_t seconds_since_1970, char between = 'T');

/// A moment as "2023-10-16 23:22".
[[nodiscard]] std::string minute_text(int64_t seconds_since_1970);

/// The same backwards; absent where the text is no moment of that form.
[[nodiscard]] std::optional<int64_t> parse_moment(std::string_view text);

}  // namespace sonde
