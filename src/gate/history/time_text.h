#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "base/error.h"

namespace sonde::gate {

/// Seconds since 1970 (UTC) of a moment as people and tools write it: "2026-01-31", "2026-01-31T12:00:00Z",
/// "2026.1.31 3:00:00 +0100", "2026/01/31 12:00", or a number of seconds. Fractions of a second are cut; UTC where no
/// offset is given. Absent for other texts.
[[nodiscard]] std::optional<int64_t> parse_time(std::string_view text);

/// Seconds of a length of time: "12h", "30d", "4w".
[[nodiscard]] std::optional<int64_t> parse_age(std::string_view text);

/// A moment, or an age before `now_s`. The error names `option`.
[[nodiscard]] Result<int64_t> moment_or_age(std::string_view text, int64_t now_s, std::string_view option);

}  // namespace sonde::gate
