#include <algorithm>
#include <cmath>
#include <limits>

#include <boost/math/distributions/students_t.hpp>

#include "gate/history/change_points.h"

namespace sonde::gate {
namespace {

/// Count, mean and sum of squared distances from it.
struct Moments {
  double count = 0;
  double mean = 0;
  double squares = 0;
};

Moments moments_of(std::span<const double> values) {
  Moments m{.count = static_cast<double>(values.size())};
  for (const double v : values) m.mean += v / m.count;
  for (const double v : values) m.squares += (v - m.mean) * (v - m.mean);
  return m;
}

/// Welford's update backwards.
Moments without(const Moments& all, double value) {
  Moments m{.count = all.count - 1};
  if (m.count < 1) return m;
  m.mean = (all.count * all.mean - value) / m.count;
  m.squares = std::max(0.0, all.squares - (value - all.mean) * (value - m.mean));
  if (m.count == 1) m.squares = 0;
  return m;
}

double degrees_of(const Moments& a, const Moments& b) { return a.count + b.count - 2; }

/// |t|; infinite where two sides without noise differ. Of what is equal but for rounding the noise is rounding too.
double t_of(const Moments& a, const Moments& b) {
  constexpr double kRounding = 1e-12;
  const double scale = std::max(std::abs(a.mean), std::abs(b.mean));
  const double distance = std::abs(a.mean - b.mean);
  if (distance <= kRounding * scale) return 0;
  const double deviation = std::sqrt((a.squares + b.squares) / degrees_of(a, b));
  if (deviation <= kRounding * scale) return std::numeric_limits<double>::infinity();
  return distance / (deviation * std::sqrt(1 / a.count + 1 / b.count));
}

double p_of(double t, double degrees) {
  if (std::isinf(t)) return 0;
  return 2 * boost::math::cdf(boost::math::complement(boost::math::students_t(degrees), t));
}

bool can_be_tested(const Moments& a, const Moments& b) { return a.count >= 1 && b.count >= 1 && degrees_of(a, b) >= 1; }

}  // namespace

double t_test(std::span<const double> a, std::span<const double> b) {
  const Moments left = moments_of(a);
  const Moments right = moments_of(b);
  return can_be_tested(left, right) ? p_of(t_of(left, right), degrees_of(left, right)) : 1;
}

double t_test_without_any_one(std::span<const double> a, std::span<const double> b) {
  const Moments left = moments_of(a);
  const Moments right = moments_of(b);
  if (left.count + right.count < 4) return 1;
  // All have the same degrees of freedom: the smallest t has the largest p.
  double smallest = std::numeric_limits<double>::infinity();
  const auto look = [&](const Moments& l, const Moments& r) {
    smallest = can_be_tested(l, r) ? std::min(smallest, t_of(l, r)) : 0;
  };
  for (const double value : a) look(without(left, value), right);
  for (const double value : b) look(left, without(right, value));
  return p_of(smallest, degrees_of(left, right) - 1);
}

}  // namespace sonde::gate
