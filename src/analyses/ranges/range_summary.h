#pragma once

#include "analyses/tables/table.h"
#include "trace/trace.h"

namespace sonde {

/// Which ranges a summary lists.
enum class RangeChoice { all, push_pop, start_end };

/// Adds to `table` the times of the closed ranges by name, largest total first. A summary of all ranges lists each
/// style of a name on its own row, under Style.
void add_range_summary(const Trace& trace, RangeChoice choice, Table& table);

}  // namespace sonde
