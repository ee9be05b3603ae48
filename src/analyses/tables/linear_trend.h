#pragma once

#include <cstdint>
#include <span>

namespace sonde {

/// The straight line that fits values at 0, 1, 2, ... best (least squares).
struct LinearTrend {
  double slope = 0;           ///< from one value to the next
  double standard_error = 0;  ///< of the slope; NaN for fewer than three values, through which any line goes
};

/// NaN for fewer than two values.
[[nodiscard]] LinearTrend linear_trend(std::span<const int64_t> values);

}  // namespace sonde
