#include "dispatch/simulation/distribution.h"

#include <algorithm>
#include <cmath>

namespace sonde::dispatch::simulation {
namespace {

double draw_of(const Distribution::Part& part, std::mt19937_64& random) {
  using Shape = Distribution::Shape;
  constexpr double kMinOfMean = 0.1;
  switch (part.shape) {
    case Shape::fixed: return part.a;
    case Shape::log_normal: return part.a * std::exp(part.b * std::normal_distribution<double>()(random));
    case Shape::normal: return std::max(part.a * kMinOfMean, std::normal_distribution<double>(part.a, part.b)(random));
    case Shape::uniform: return std::uniform_real_distribution<double>(part.a, part.b)(random);
    case Shape::power: return part.a * std::exp(std::exponential_distribution<double>(part.b)(random));
  }
  return part.a;
}

}  // namespace

double Distribution::draw(std::mt19937_64& random) const {
  double sum = 0;
  for (const Part& part : parts) sum += part.share;
  double place = std::uniform_real_distribution<double>(0, sum)(random);
  for (const Part& part : parts) {
    place -= part.share;
    if (place <= 0) return draw_of(part, random);
  }
  return parts.empty() ? 0 : draw_of(parts.back(), random);
}

}  // namespace sonde::dispatch::simulation
