#pragma once

#include <cstdint>
#include <limits>

#include "wire/reader.h"

namespace sonde::record {

/// What of a recording is meant: events from begin to end (CLOCK_MONOTONIC) of what was wanted (bits of wire::Wanted).
/// Definitions hold whenever they were reported.
struct Extent {
  int64_t begin_ns = 0;
  int64_t end_ns = std::numeric_limits<int64_t>::max();
  uint32_t wanted = ~0U;

  [[nodiscard]] bool holds_time(int64_t ns) const { return begin_ns <= ns && ns <= end_ns; }
  /// By the time in its head. Of what CUPTI tells that is when it was written: see CudaRows.
  [[nodiscard]] bool holds(const wire::Record& record) const;
};

}  // namespace sonde::record
