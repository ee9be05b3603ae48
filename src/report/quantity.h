#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace sonde {

/// Amounts for people, three significant digits and a unit: "1.13 s", "306 us", "2.88 MB", "8.96 GB/s", "63.1 %".
[[nodiscard]] std::string time_text(double nanoseconds);
[[nodiscard]] std::string bytes_text(double bytes);
[[nodiscard]] std::string rate_text(double bytes_per_s);
[[nodiscard]] std::string percent_text(double part, double whole);
/// "1 kernel", "2,000 kernels": a number and the noun for one of them.
[[nodiscard]] std::string counted(int64_t count, std::string_view noun);
/// A written number with ',' between groups of three digits before the point.
[[nodiscard]] std::string with_separators(std::string number);
/// A whole number with thousands separators.
[[nodiscard]] std::string count_text(int64_t count);

}  // namespace sonde
