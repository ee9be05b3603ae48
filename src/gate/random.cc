#include "gate/random.h"

#include <cmath>
#include <limits>
#include <numbers>
#include <utility>

namespace sonde::gate {

uint64_t Random::below(uint64_t count) {
  // Numbers from the last multiple of `count` on would favour the small results.
  const uint64_t surplus = (std::numeric_limits<uint64_t>::max() % count + 1) % count;
  const uint64_t last = std::numeric_limits<uint64_t>::max() - surplus;
  uint64_t drawn = engine_();
  while (drawn > last) drawn = engine_();
  return drawn % count;
}

double Random::unit() { return static_cast<double>(engine_() >> 11U) * 0x1p-53; }

double Random::normal() {
  const double radius = std::sqrt(-2 * std::log(1 - unit()));
  return radius * std::cos(2 * std::numbers::pi * unit());
}

void Random::choose(std::span<double> values, size_t count) {
  for (size_t i = 0; i < count; ++i) std::swap(values[i], values[i + below(values.size() - i)]);
}

}  // namespace sonde::gate
