#include "findings/evidence/stream_breaks.h"

#include <algorithm>

#include "trace/columns.h"

namespace sonde {

StreamBreaks::StreamBreaks(std::initializer_list<const GpuOps*> tables) {
  for (const GpuOps* ops : tables) {
    for (Row row = 0; row < row_count(*ops); ++row) {
      const StreamId stream = ops->stream[row];
      if (stream >= starts_.size()) starts_.resize(stream + size_t{1});
      starts_[stream].push_back(ops->start[row]);
    }
  }
  for (std::vector<int64_t>& starts : starts_) std::ranges::sort(starts);
}

bool StreamBreaks::any_between(StreamId stream, int64_t start_ns, int64_t end_ns) const {
  if (stream >= starts_.size()) return false;
  const auto next = std::ranges::lower_bound(starts_[stream], start_ns);
  return next != starts_[stream].end() && *next < end_ns;
}

}  // namespace sonde
