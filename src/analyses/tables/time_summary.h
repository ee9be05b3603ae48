#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analyses/tables/distribution.h"
#include "analyses/tables/table.h"

namespace sonde {

/// Adds the columns that every summary of times begins with: Time (%) of the listed total, Total Time, the count under
/// its own name, Avg, Med, Min, Max, StdDev. One row for each group.
void add_time_summary(Table& table, std::span<const Distribution> groups, std::string count_name);

/// Adds Avg, Med, Min, Max and StdDev with `prefix` before each name. Absent for a group without values.
void add_spread(Table& table, std::string_view prefix, std::span<const Distribution> groups);

/// Groups with the largest total first, equal ones by label.
[[nodiscard]] std::vector<Row> order_by_total(std::span<const Distribution> groups,
                                              std::span<const std::string_view> labels);

}  // namespace sonde
