#pragma once

#include <optional>
#include <span>
#include <utility>

namespace sonde {

/// y = intercept + slope * x by least squares.
struct LinearFit {
  double slope = 0;
  double intercept = 0;
  std::optional<double> correlation;  ///< Pearson's; absent where all y are equal
};

/// Absent for fewer than two points or where all x are equal.
[[nodiscard]] std::optional<LinearFit> linear_fit(std::span<const std::pair<double, double>> points);

}  // namespace sonde
