#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <CLI/App.hpp>

namespace sonde::record_cli {

/// Times of a recording beyond 31 years are mistakes; in nanoseconds they would still fit.
inline constexpr int64_t kMostSeconds = 1'000'000'000;

/// Checks a number of seconds from 0 on, with a fraction or without.
[[nodiscard]] CLI::Validator seconds_check();

/// Checks a whole number within these bounds. `what`: its unit, as in "nanoseconds"; `sign`: the same in the help.
[[nodiscard]] CLI::Validator whole_number_check(int64_t least, int64_t most, std::string_view what,
                                                const std::string& sign);

/// Whether it is a whole number, with a sign or without: nothing else may stand beside it.
[[nodiscard]] bool is_whole_number(std::string_view text);

}  // namespace sonde::record_cli
