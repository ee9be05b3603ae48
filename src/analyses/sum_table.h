#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "analyses/groups.h"
#include "analyses/table.h"

/// The tables that `nsys stats` calls *_sum: one row a group, with share, total, count and distribution.
namespace sonde {

/// What one text column of the rows shows.
struct SumLabel {
  std::string column;
  std::vector<std::string_view> texts;  ///< one for each group
};

/// Time (%), Total Time, <count>, Avg, Med, Min, Max, StdDev, then the labels. Rows by total, largest first; equal
/// totals by their labels. Time (%) is the share of the total of these rows.
void fill_time_sum(Table& table, const std::vector<Distribution>& groups, std::string_view count_column,
                   std::vector<SumLabel> labels);

/// Total, Count, Avg, Med, Min, Max, StdDev in MB (10^6 bytes), then the labels; in the same order.
void fill_size_sum(Table& table, const std::vector<Distribution>& groups, std::vector<SumLabel> labels);

}  // namespace sonde
