#pragma once

#include <cstdint>
#include <ctime>

namespace sonde {

[[nodiscard]] inline int64_t clock_ns(clockid_t clock) noexcept {
  constexpr int64_t kSecondNs = 1'000'000'000;
  timespec now{};
  clock_gettime(clock, &now);
  return int64_t{now.tv_sec} * kSecondNs + now.tv_nsec;
}

/// CLOCK_MONOTONIC, which every process of this machine reads alike.
[[nodiscard]] inline int64_t monotonic_ns() noexcept { return clock_ns(CLOCK_MONOTONIC); }

}  // namespace sonde
