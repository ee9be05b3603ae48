#include "findings/evidence/stream_breaks.h"

#include <algorithm>

#include "trace/columns.h"

namespace sonde {

StreamBreaks::StreamBreaks(std::initializer_list<const GpuOps*> tables) {
  for (const GpuOps* ops : tables) {
    for (Row row = 0; row < row_count(*ops); ++row) starts_[ops->stream[row]].push_back(ops->start[row]);
  }
  for (auto& [stream, starts] : starts_) std::ranges::sort(starts);
}

bool StreamBreaks::any_between(StreamId stream, int64_t start_ns, int64_t end_ns) const {
  const auto starts = starts_.find(stream);
  if (starts == starts_.end()) return false;
  const auto next = std::ranges::lower_bound(starts->second, start_ns);
  return next != starts->second.end() && *next < end_ns;
}

}  // namespace sonde
