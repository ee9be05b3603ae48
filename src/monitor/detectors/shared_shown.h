#pragma once

#include <cstdint>
#include <string>

/// Values as incidents show them to people.
namespace sonde::monitor {

[[nodiscard]] std::string shown_celsius(double value);  ///< "91 °C"
[[nodiscard]] std::string shown_percent(double value);  ///< "12 %", "0.4 %"
[[nodiscard]] std::string shown_watts(double value);    ///< "350 W"
[[nodiscard]] std::string shown_gib(double bytes);      ///< "79.2 GiB"
/// "45 s", "12 min", "3 h", "5 days": the largest unit of which there are two.
[[nodiscard]] std::string shown_time(double seconds);
[[nodiscard]] std::string shown_count(int64_t count, const std::string& one, const std::string& several);

}  // namespace sonde::monitor
