#pragma once

#include <cstdint>
#include <random>
#include <span>

namespace sonde::gate {

/// Random numbers that are the same on every platform: the standard fixes std::mt19937_64, but not what its
/// distributions make of it.
class Random {
 public:
  explicit Random(uint64_t seed) : engine_(seed) {}

  /// Evenly from 0 to `count` - 1; `count` is at least 1.
  [[nodiscard]] uint64_t below(uint64_t count);

  /// Evenly from 0 to 1, 1 excluded.
  [[nodiscard]] double unit();

  /// From the standard normal distribution (Box and Muller 1958). The same everywhere up to the last bits of log and
  /// cos; used by simulations only.
  [[nodiscard]] double normal();

  /// Moves `count` values chosen evenly, in random order, to the front.
  void choose(std::span<double> values, size_t count);

 private:
  std::mt19937_64 engine_;
};

}  // namespace sonde::gate
