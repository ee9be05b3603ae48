#pragma once

#include <chrono>
#include <cstdint>

namespace sonde::dispatch {

[[nodiscard]] inline int64_t nanoseconds_of(auto clock_time) {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(clock_time.time_since_epoch()).count();
}
/// Of a clock that is never set; of the system's, since 1970.
[[nodiscard]] inline int64_t monotonic_ns() { return nanoseconds_of(std::chrono::steady_clock::now()); }
[[nodiscard]] inline int64_t wall_ns() { return nanoseconds_of(std::chrono::system_clock::now()); }

}  // namespace sonde::dispatch
