#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/error.h"
#include "trace/trace.h"

namespace sonde {

/// When a rank was recorded, on the clock of all ranks.
struct RecordedTime {
  RankId rank = 0;
  int64_t begin_ns = 0;
  int64_t end_ns = 0;
};

/// Refuses files that were recorded in different runs, while the files of a run are read one by one.
class OneRun {
 public:
  /// Judges the rank that was read and aligned last, whose rows begin at `first`. Ranks that the files number within
  /// one world belong together at any times. Others must have been recorded at about the same time, as far as they
  /// tell.
  [[nodiscard]] Status add(const Trace& trace, const std::vector<size_t>& first);

 private:
  std::optional<RecordedTime> first_;  ///< of the files with events that are on the clock
};

}  // namespace sonde
