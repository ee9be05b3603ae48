#include "dispatch/estimates/tail_bound.h"

#include <algorithm>
#include <cmath>

namespace sonde::dispatch {
namespace {

/// Of the `top` highest values: tail_bound.h.
double tail_index(std::span<const int64_t> sorted, size_t top) {
  double sum = 0;
  for (size_t i = 1; i <= top; ++i) {
    const size_t at = sorted.size() - i;
    sum += static_cast<double>(i + 1) * std::log(static_cast<double>(sorted[at]) / static_cast<double>(sorted[at - 1]));
  }
  return sum / static_cast<double>(top);
}

}  // namespace

double tail_bound(std::span<const int64_t> sorted, double exceedance) {
  const size_t top = std::clamp<size_t>(sorted.size() / 4, 2, sorted.size() - 1);
  const auto k = static_cast<double>(top);
  const double beyond = 1 / (exceedance * static_cast<double>(sorted.size() + 1));
  const double steps = std::max(0.0, k * (std::pow(beyond, 1 / k) - 1));
  return static_cast<double>(sorted.back()) * std::exp(steps * tail_index(sorted, top));
}

}  // namespace sonde::dispatch
