#include "analyses/tables/linear_fit.h"

#include <cmath>

namespace sonde {

/// About the means, and these from the first point on: squares of bytes need more digits than a double has.
std::optional<LinearFit> linear_fit(std::span<const std::pair<double, double>> points) {
  if (points.size() < 2) return std::nullopt;
  const auto [first_x, first_y] = points.front();
  const auto count = static_cast<double>(points.size());
  double mean_x = 0;
  double mean_y = 0;
  for (const auto& [x, y] : points) {
    mean_x += (x - first_x) / count;
    mean_y += (y - first_y) / count;
  }
  double xx = 0;
  double yy = 0;
  double xy = 0;
  for (const auto& [x, y] : points) {
    const double dx = x - first_x - mean_x;
    const double dy = y - first_y - mean_y;
    xx += dx * dx;
    yy += dy * dy;
    xy += dx * dy;
  }
  if (xx <= 0) return std::nullopt;
  const double slope = xy / xx;
  LinearFit fit{slope, first_y + mean_y - slope * (first_x + mean_x), std::nullopt};
  if (yy > 0) fit.correlation = xy / std::sqrt(xx * yy);
  return fit;
}

}  // namespace sonde
