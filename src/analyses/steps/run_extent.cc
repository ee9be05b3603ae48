#include "analyses/steps/run_extent.h"

#include <algorithm>
#include <limits>

#include "trace/columns.h"

namespace sonde {

Span run_extent(const Trace& trace) {
  Span extent{std::numeric_limits<int64_t>::max(), std::numeric_limits<int64_t>::min()};
  const auto include = [&](const auto& table) {
    for (size_t row = 0; row < row_count(table); ++row) {
      extent.first = std::min(extent.first, table.start[row]);
      extent.second = std::max(extent.second, table.end[row] == kUnknown ? table.start[row] : table.end[row]);
    }
  };
  for_each_gpu_table(trace, include);
  include(trace.api);
  include(trace.ranges);
  include(trace.syncs);
  include(trace.os_calls);
  include(trace.library_calls);
  return extent.first <= extent.second ? extent : Span{0, 0};
}

}  // namespace sonde
