#pragma once

#include <vector>

#include "analyses/ranges/range_work.h"
#include "analyses/steps/thread_nesting.h"

namespace sonde {

/// Ranges projected from the host onto the GPU: from the start of the first operation that a range launched to the end
/// of the last. Those that launched nothing have no projection and are not counted as anybody's children.
struct ProjectedRanges {
  std::vector<Row> rows;  ///< by start of the projection, outer ranges first
  RangeWork work;
  ThreadNesting nesting;
  std::vector<uint32_t> children;  ///< directly inside, with a projection

  [[nodiscard]] int64_t duration(Row row) const { return work.last_end[row] - work.first_start[row]; }
};

[[nodiscard]] ProjectedRanges project_ranges(const Trace& trace);

/// What a projection reads.
inline constexpr Fields kProjectionFields =
    kGpuWork | Fields{Field::streams, Field::launches, Field::api, Field::ranges, Field::range_links};

}  // namespace sonde
