#pragma once

#include "analyses/tables/table.h"
#include "trace/trace.h"

namespace sonde {

/// Adds to `table` the times of the calls of one class by name, largest total first.
void add_call_summary(const Trace& trace, const Calls& calls, CallClass call_class, Table& table);

}  // namespace sonde
