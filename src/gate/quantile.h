#pragma once

#include <span>

namespace sonde::gate {

/// The value below which the share `part` (0 to 1) of an ascending, non-empty set lies, between neighbours on a line
/// (type 7 of Hyndman and Fan 1996, numpy's default).
[[nodiscard]] double quantile_of_sorted(std::span<const double> ascending, double part);

/// Upper 95 % bound of a rate of which `hits` of `trials` were seen (Clopper and Pearson 1934, one-sided).
[[nodiscard]] double rate_upper_bound(int hits, int trials);

}  // namespace sonde::gate
