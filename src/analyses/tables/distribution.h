#pragma once

#include <cstdint>
#include <span>

namespace sonde {

/// Figures of a set of values as `nsys stats` prints them.
struct Distribution {
  int64_t count = 0;
  int64_t total = 0;
  int64_t min = 0;
  int64_t max = 0;
  double mean = 0;
  double median = 0;  ///< of an even number of values the mean of the two in the middle
  double stddev = 0;  ///< of a sample (n - 1); 0 for one value
};

/// Reorders `values`. An empty set gives zeros.
[[nodiscard]] Distribution distribution_of(std::span<int64_t> values);

}  // namespace sonde
