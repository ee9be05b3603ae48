#pragma once

#include <cstdint>
#include <string>

namespace sonde {

/// Amounts for people, three significant digits and a unit: "1.13 s", "306 us", "2.88 MB", "8.96 GB/s", "63.1 %".
[[nodiscard]] std::string time_text(double nanoseconds);
[[nodiscard]] std::string bytes_text(double bytes);
[[nodiscard]] std::string rate_text(double bytes_per_s);
[[nodiscard]] std::string percent_text(double part, double whole);
/// A whole number with thousands separators.
[[nodiscard]] std::string count_text(int64_t count);

}  // namespace sonde
