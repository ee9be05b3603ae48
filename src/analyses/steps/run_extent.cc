#include "analyses/steps/run_extent.h"

#include <algorithm>
#include <limits>

#include "trace/columns.h"

namespace sonde {

namespace {

constexpr Span kNothing{std::numeric_limits<int64_t>::max(), std::numeric_limits<int64_t>::min()};

template <typename Table>
void include_rows(const Table& table, Span& extent) {
  for (size_t row = 0; row < row_count(table); ++row) {
    extent.first = std::min(extent.first, table.start[row]);
    extent.second = std::max(extent.second, table.end[row] == kUnknown ? table.start[row] : table.end[row]);
  }
}

}  // namespace

std::optional<Span> gpu_extent(const Trace& trace) {
  Span extent = kNothing;
  for_each_gpu_table(trace, [&](const auto& table) { include_rows(table, extent); });
  return extent.first <= extent.second ? std::optional(extent) : std::nullopt;
}

Span run_extent(const Trace& trace) {
  Span extent = gpu_extent(trace).value_or(kNothing);
  const auto include = [&](const auto& table) { include_rows(table, extent); };
  include(trace.api);
  include(trace.ranges);
  include(trace.syncs);
  include(trace.os_calls);
  include(trace.library_calls);
  return extent.first <= extent.second ? extent : Span{0, 0};
}

}  // namespace sonde
