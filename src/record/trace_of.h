#pragma once

#include <cstdint>
#include <limits>

#include "record/slices.h"
#include "trace/trace.h"

namespace sonde::record {

/// What a recording came to.
struct Tally {
  int64_t images = 0;
  int64_t processes = 0;
  int64_t threads = 0;
  int64_t ranges = 0;
  int64_t open_ranges = 0;
  int64_t marks = 0;
  int64_t os_calls = 0;
  int64_t records = 0;
  int64_t unmatched_ends = 0;  ///< ends of ranges whose begin is not recorded
  int64_t unread_bytes = 0;    ///< that are no records
  int64_t last_ns = 0;         ///< the latest time of an event, as Extent has it; 0: there is none
  uint32_t event_cost_ns = 0;  ///< the median of what processes measured

  /// Of which the profile tells.
  [[nodiscard]] int64_t events() const { return ranges + marks + os_calls; }
};

/// What of the slices is meant: events from begin to end (CLOCK_MONOTONIC) of what was wanted (bits of wire::Wanted).
/// Definitions hold whenever they were told.
struct Extent {
  int64_t begin_ns = 0;
  int64_t end_ns = std::numeric_limits<int64_t>::max();
  uint32_t wanted = ~0U;

  [[nodiscard]] bool holds(const wire::Record& record) const;
};

/// Makes a trace of what was recorded, not linked yet. Times count from the extent's begin.
[[nodiscard]] Tally fill_trace(Trace& trace, const Slices& slices, const Extent& extent);

}  // namespace sonde::record
