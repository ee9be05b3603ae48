#pragma once

#include "gate/difference/difference.h"
#include "gate/difference/leaf.h"
#include "gate/difference/shape_changes.h"

namespace sonde::gate {

/// Fills the levels of `difference` with sums of leaves, rows that changed most first.
void add_levels(const Leaves& leaves, const ShapeChanges& shapes, Difference& difference);

/// What became of a part of a side's time. Changes below `least_ns` are none.
[[nodiscard]] ChangeKind kind_of_change(const Part& base, const Part& changed, int64_t least_ns);

/// Changes of less than this part of the time that is compared are noise of clocks and of rounding.
inline constexpr int64_t kMinPart = 10'000;

}  // namespace sonde::gate
