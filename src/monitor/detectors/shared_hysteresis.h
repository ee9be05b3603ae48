#pragma once

#include <cstdint>
#include <optional>

namespace sonde::monitor {

/// A value is too high from above `on`, for `on_after_s` without a break, until it was at `off` or below for
/// `off_after_s`. For a value that is too low, give all of them with the other sign.
struct Limits {
  double on = 0;
  double off = 0;
  double on_after_s = 0;
  double off_after_s = 0;
};

/// Keeps a condition from coming and going with each measurement.
class Hysteresis {
 public:
  /// Whether the condition holds now. Without a value it stays as it was, and no time counts.
  bool take(std::optional<double> value, const Limits& limits, int64_t moment_ns);
  [[nodiscard]] bool on() const { return on_; }

 private:
  bool on_ = false;
  std::optional<int64_t> turning_since_ns_;  ///< since when the value speaks for the other state
};

}  // namespace sonde::monitor
