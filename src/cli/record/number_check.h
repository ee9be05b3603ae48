#pragma once

#include <cstdint>
#include <string_view>

namespace sonde::record_cli {

/// Times of a recording beyond 31 years are mistakes; in nanoseconds they would still fit.
inline constexpr int64_t kMaxSeconds = 1'000'000'000;

/// Whether it is a whole number, with a sign or without, and nothing else.
[[nodiscard]] bool is_whole_number(std::string_view text);

}  // namespace sonde::record_cli
