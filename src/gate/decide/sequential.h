#pragma once

#include <span>

namespace sonde::gate {

/// The part of an error rate that look `look` (from 0) of a test may spend that is made after `runs[0]`, `runs[1]`, ...
/// runs a side, the last of which is the most that will ever be made: the parts add up to 1, so that the rate over all
/// looks holds whatever the looks have in common (union bound; Lan and DeMets 1983 for spending by information).
[[nodiscard]] double rate_share(std::span<const int> runs, size_t look);

}  // namespace sonde::gate
