#pragma once

#include <cstdint>

/// Nanoseconds in a unit of time: whole numbers to count with (kNsPer...), and the same as double to divide by.
namespace sonde {

inline constexpr int64_t kNsPerMillisecond = 1'000'000;
inline constexpr int64_t kNsPerSecond = 1'000'000'000;
inline constexpr int64_t kNsPerMinute = 60 * kNsPerSecond;
inline constexpr int64_t kNsPerHour = 3600 * kNsPerSecond;
inline constexpr int64_t kNsPerDay = 24 * kNsPerHour;

inline constexpr double kMillisecondNs = 1e6;
inline constexpr double kSecondNs = 1e9;
inline constexpr double kDayNs = 86400e9;

}  // namespace sonde
