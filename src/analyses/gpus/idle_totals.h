#pragma once

#include <array>
#include <vector>

#include "analyses/gpus/idle_time.h"

namespace sonde {

/// Idle time of one cause while the thread was in calls or ranges of one name.
struct IdleWhile {
  IdleCause cause = IdleCause::unknown;
  NameId name = kNone;
  int64_t ns = 0;  ///< over all GPUs
  int64_t pieces = 0;
};

struct IdleTotals {
  using OfCauses = std::array<int64_t, static_cast<size_t>(IdleCause::count_)>;
  std::vector<OfCauses> of_gpu;                 ///< nanoseconds; their sum is the GPU's idle time
  std::vector<IdleWhile> by_name;               ///< most time first
  std::vector<std::vector<IdlePiece>> longest;  ///< for each cause its longest pieces, longest first

  [[nodiscard]] int64_t total(IdleCause cause) const;  ///< over all GPUs
};

/// Adds up the idle time of all GPUs within `extent`, and keeps the longest pieces of each cause. Where `counts` is
/// given, pieces for which it is false are left out.
[[nodiscard]] IdleTotals idle_totals(const Trace& trace, const Gpus& gpus, Span extent,
                                     const std::function<bool(const IdlePiece&)>& counts = {});

}  // namespace sonde
