#pragma once

#include <initializer_list>
#include <vector>

#include "trace/trace.h"

namespace sonde {

/// Finds operations of other tables between kernels of one stream.
class StreamBreaks {
 public:
  explicit StreamBreaks(std::initializer_list<const GpuOps*> tables);
  /// Whether one starts on the stream in [start_ns, end_ns).
  [[nodiscard]] bool any_between(StreamId stream, int64_t start_ns, int64_t end_ns) const;

 private:
  std::vector<std::vector<int64_t>> starts_;  ///< by stream, up to the last that has any
};

}  // namespace sonde
