#include "synth/noise.h"

namespace sonde::synth {
namespace {

constexpr int kFraction = 30;  // fixed point with 30 binary places: squares of numbers below 4 fit 64 bits
constexpr int64_t kOne = int64_t{1} << kFraction;

/// The finalizer of splitmix64 (Steele, Lea, Flood 2014).
uint64_t mix(uint64_t x) {
  x += 0x9E3779B97F4A7C15U;
  x = (x ^ (x >> 30U)) * 0xBF58476D1CE4E5B9U;
  x = (x ^ (x >> 27U)) * 0x94D049BB133111EBU;
  return x ^ (x >> 31U);
}

/// Nearly normal: the sum of four uniform 16-bit numbers, less its mean. Its deviation is 65536 / sqrt(3).
constexpr int64_t kDeviation = 37837;
int64_t centred_sum(uint64_t bits) {
  int64_t sum = -2 * int64_t{65535};
  for (unsigned shift = 0; shift < 64; shift += 16) sum += static_cast<int64_t>((bits >> shift) & 0xFFFFU);
  return sum;
}

/// e^x in fixed point by its series; exact to 1e-5 for |x| < 0.7, which is 3.4 deviations of the widest spread used.
int64_t exponential(int64_t x) {
  int64_t sum = kOne;
  int64_t term = kOne;
  for (int64_t n = 1; n <= 6; ++n) {
    term = ((term * x) >> kFraction) / n;
    sum += term;
  }
  return sum;
}

}  // namespace

uint64_t Noise::number(Purpose purpose, uint32_t site, int32_t iteration) const {
  const uint64_t place = uint64_t{site} << 32U | static_cast<uint32_t>(iteration);
  return mix(seed_ ^ mix(place ^ mix(static_cast<uint64_t>(purpose))));
}

int64_t Noise::vary(int64_t base, int64_t spread_permille, Purpose purpose, uint32_t site, int32_t iteration) const {
  const int64_t sum = centred_sum(number(purpose, site, iteration));
  const int64_t exponent = sum * (kOne / 1000) / kDeviation * spread_permille;
  const int64_t factor = exponential(exponent);
  // Split so that long durations do not overflow: whole microseconds and the rest.
  constexpr int64_t kSplit = 1000;
  return base / kSplit * factor / (kOne / kSplit) + ((base % kSplit * factor) >> kFraction);
}

}  // namespace sonde::synth
