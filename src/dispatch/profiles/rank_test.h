#pragma once

#include <cstdint>
#include <span>

namespace sonde::dispatch::profiles {

/// By how many standard deviations `values` rank above `others` (Mann and Whitney's test, with ties): above 4 where
/// chance does so in 1 of 30,000. 0 where either is empty or all are equal.
[[nodiscard]] double rank_deviations(std::span<const int64_t> values, std::span<const int64_t> others);

/// Of at least one value.
[[nodiscard]] int64_t median(std::span<const int64_t> values);

}  // namespace sonde::dispatch::profiles
