#pragma once

#include <cstdint>
#include <string_view>

#include "base/error.h"

namespace sonde::api {

/// Nanoseconds since 1970 of "now", "-1h" (s, m, h, d, w before now), "1763784000.5" (seconds since 1970) or RFC 3339
/// ("2026-11-22T04:00:00.5Z", "2026-11-22T05:00:00+01:00"). The error says what is allowed.
[[nodiscard]] Result<int64_t> moment_of_text(std::string_view text, int64_t now_ns);

}  // namespace sonde::api
