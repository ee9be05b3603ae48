#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "metrics/occupancy_curves.h"

namespace sonde {

/// Neighbouring points of an occupancy curve with the same value.
struct OccupancyStep {
  int64_t from = 0;
  int64_t to = 0;
  int64_t warps_per_sm = 0;
  bool operator==(const OccupancyStep&) const = default;
};

/// The curve with a point of the launch's own, which may lie between those of the curve.
[[nodiscard]] OccupancyCurve with_point(OccupancyCurve curve, OccupancyPoint own);

/// A step begins where the one before it ends.
[[nodiscard]] std::vector<OccupancyStep> steps_of(const OccupancyCurve& curve);

/// A curve that goes up and down often, as that of the block size, for a terminal: its peaks and the step that holds
/// `own`. One with few steps stays as it is.
[[nodiscard]] std::vector<OccupancyStep> condensed(const std::vector<OccupancyStep>& steps, int64_t own);

/// Where a better point may lie.
struct Search {
  bool may_grow = false;  ///< also above the launch's own point
  int64_t multiple = 1;   ///< only multiples of it
};
/// The point nearest to `own` with more warps than it has; absent where there is none. Of two equally near ones the
/// smaller.
[[nodiscard]] std::optional<OccupancyPoint> next_better(const OccupancyCurve& curve, OccupancyPoint own, Search search);

}  // namespace sonde
