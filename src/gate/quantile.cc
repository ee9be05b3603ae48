#include "gate/quantile.h"

#include <algorithm>
#include <cmath>

#include <boost/math/distributions/beta.hpp>

namespace sonde::gate {

double quantile_of_sorted(std::span<const double> ascending, double part) {
  const double place = std::clamp(part, 0.0, 1.0) * static_cast<double>(ascending.size() - 1);
  const auto below = static_cast<size_t>(place);
  const size_t above = std::min(below + 1, ascending.size() - 1);
  const double rest = place - static_cast<double>(below);
  if (rest == 0) return ascending[below];  // so that an infinite neighbour does not matter
  return ascending[below] + (ascending[above] - ascending[below]) * rest;
}

double rate_upper_bound(int hits, int trials) {
  if (hits >= trials) return 1;
  return boost::math::quantile(boost::math::beta_distribution<>(hits + 1, trials - hits), 0.95);
}

}  // namespace sonde::gate
