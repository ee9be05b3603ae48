#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "gate/store/baseline_entry.h"

namespace sonde::gate {

/// Which entries are too many. At least one is given; of two both must hold.
struct PruneRule {
  std::optional<size_t> keep = {};       ///< there are so many newer ones
  std::optional<int64_t> before_s = {};  ///< it is older than this moment, in seconds since 1970
};

/// Those of `entries` (oldest first) that a rule takes away. Pinned ones stay, and do not count among those that are
/// kept. Entries are counted by baseline, and among those that may be compared with each other: the only one of a GPU
/// is not taken away for newer ones of another.
[[nodiscard]] std::vector<BaselineEntry> entries_to_prune(std::span<const BaselineEntry> entries,
                                                          const PruneRule& rule);

}  // namespace sonde::gate
