#pragma once

#include <cstdint>

#include "base/error.h"
#include "base/files/descriptor.h"

namespace sonde {

/// Counts an event of the processor or the kernel in user mode in the programs that this thread starts from now on, and
/// in all processes and threads that these start (perf_event_open(2)). Each is counted once it ended.
class EventCount {
 public:
  /// `type`, `event`: PERF_TYPE_* and PERF_COUNT_*. The error says why the kernel refused, and what to do.
  [[nodiscard]] static Result<EventCount> of_programs(uint32_t type, uint64_t event);
  /// So far; where events had to share the processor's counters, extrapolated to the whole time as `perf stat` does.
  /// An error where it was never counted.
  [[nodiscard]] Result<int64_t> read() const;

 private:
  explicit EventCount(Descriptor file) : file_(std::move(file)) {}
  Descriptor file_;
};

}  // namespace sonde
