#include "analyses/kernel_table/kernel_gaps.h"

#include <algorithm>

#include "analyses/kernel_table/kernel_columns.h"
#include "metrics/quantities.h"

namespace sonde {
namespace {

/// What has to be there for a column to have values.
struct Need {
  std::string collected_by;            ///< ncu's option; empty: that of the quantity
  const Quantity* quantity = nullptr;  ///< nullptr: nothing explains an absence better
};

/// Without both where an absent cell is no gap.
Need need_of(std::string_view name) {
  const auto column = std::ranges::find(kernel_columns(), name, &KernelColumn::name);
  if (column != kernel_columns().end()) {
    const auto quantity = find_quantity(column->quantity);
    return {std::string(column->collected_by), quantity ? *quantity : nullptr};
  }
  if (const auto quantity = find_quantity(name)) return {{}, *quantity};
  return {fmt::format("--metrics {}", name), nullptr};
}

bool was_measured(const KernelLaunch& launch) {
  return launch.profile == nullptr || (!launch.profile->metrics.empty() && launch.profile->grid[0] != 0);
}

void explain(ColumnGap& gap, const Need& need, const KernelLaunch& launch) {
  if (launch.profile == nullptr) {
    gap.why = ColumnGap::Why::not_recorded;
    return;
  }
  gap.detail = fmt::format("ncu {}", need.collected_by);
  if (need.quantity == nullptr) return;
  const auto found = resolve(*need.quantity, *launch.trace, *launch.profile);
  if (found) return;
  const bool elsewhere = found.error().why == MissingQuantity::Why::not_on_this_gpu;
  if (elsewhere) gap.why = ColumnGap::Why::not_on_this_gpu;
  if (elsewhere || need.collected_by.empty()) gap.detail = found.error().detail;
}

std::optional<ColumnGap> gap_of(const Table& table, size_t column, const Need& need,
                                const std::vector<KernelGroup>& groups) {
  size_t absent = 0;
  const KernelLaunch* example = nullptr;
  for (size_t row = 0; row < groups.size(); ++row) {
    if (!is_absent(table.columns[column], row)) continue;
    ++absent;
    if (example == nullptr && was_measured(groups[row].representative())) example = &groups[row].representative();
  }
  if (example == nullptr) return std::nullopt;
  ColumnGap gap;
  gap.column = column;
  gap.title = table.columns[column].name;
  gap.every_row = absent == groups.size();
  explain(gap, need, *example);
  return gap;
}

}  // namespace

std::vector<ColumnGap> gaps_of(const Table& table, const std::vector<KernelGroup>& groups,
                               const std::vector<std::string>& columns) {
  std::vector<ColumnGap> gaps;
  for (size_t column = 0; column < columns.size(); ++column) {
    const Need need = need_of(columns[column]);
    if (need.collected_by.empty() && need.quantity == nullptr) continue;
    if (auto gap = gap_of(table, column, need, groups)) gaps.push_back(std::move(*gap));
  }
  return gaps;
}

}  // namespace sonde
