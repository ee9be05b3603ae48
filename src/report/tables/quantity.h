#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "analyses/tables/table.h"

namespace sonde {

/// Significant digits of amounts for people.
inline constexpr int kDefaultDigits = 3;

/// Amounts for people, three significant digits and a unit: "1.13 s", "306 us", "2.88 MB", "8.96 GB/s", "63.1 %".
[[nodiscard]] std::string time_text(double nanoseconds);
[[nodiscard]] std::string bytes_text(double bytes);
[[nodiscard]] std::string rate_text(double bytes_per_s);
[[nodiscard]] std::string percent_text(double part, double whole);
/// A sum of nanoseconds or bytes as these take it.
[[nodiscard]] inline double real(int64_t value) { return static_cast<double>(value); }
/// The same of any unit, with more digits where the usual ones do not tell enough. What is below 0.05 % is not shown as
/// 0.0 %, nor a part of a count left out.
[[nodiscard]] std::string amount_text(double number, Unit unit, int digits = kDefaultDigits);
/// "1 kernel", "2,000 kernels": a number and the noun for one of them.
[[nodiscard]] std::string counted(int64_t count, std::string_view noun);
/// A written number with ',' between groups of three digits before the point.
[[nodiscard]] std::string with_separators(std::string number);
/// A whole number with thousands separators.
[[nodiscard]] std::string count_text(int64_t count);

}  // namespace sonde
