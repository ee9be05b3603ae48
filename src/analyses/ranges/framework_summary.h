#pragma once

#include "analyses/tables/table.h"
#include "trace/trace.h"

namespace sonde {

/// Adds to `table` what a framework's ranges of one kind (operators, module calls) took on host and device, by name;
/// most device time of their own first, then most host time of their own.
void add_framework_summary(const Trace& trace, DomainKind kind, Table& table);

/// What it reads.
inline constexpr Fields kFrameworkFields =
    kGpuWork | Fields{Field::streams, Field::launches, Field::api, Field::ranges, Field::range_links};

}  // namespace sonde
