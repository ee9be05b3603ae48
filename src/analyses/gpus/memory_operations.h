#pragma once

#include <string_view>

#include "analyses/gpus/operation_names.h"
#include "trace/columns.h"
#include "trace/trace.h"

namespace sonde {

/// Calls `f(operation name, table, row)` for each copy and set.
template <typename F>
void each_memory_operation(const Trace& trace, F&& f) {
  for (Row row = 0; row < row_count(trace.copies); ++row) f(copy_operation(trace.copies.kind[row]), trace.copies, row);
  for (Row row = 0; row < row_count(trace.sets); ++row) f(set_operation(), trace.sets, row);
}

}  // namespace sonde
