#include "analyses/ranges/range_summary.h"

#include "analyses/ranges/range_label.h"
#include "analyses/tables/grouped_values.h"
#include "analyses/tables/time_summary.h"
#include "trace/columns.h"

namespace sonde {
namespace {

using StyledLabel = std::pair<RangeLabel, uint8_t>;

struct RangeGroups {
  Grouping<StyledLabel> groups;
  GroupedValues durations;
};

bool is_chosen(const Ranges& ranges, Row row, RangeChoice choice) {
  if (!is_closed(ranges, row)) return false;
  return choice == RangeChoice::all || is_push_pop(ranges, row) == (choice == RangeChoice::push_pop);
}

RangeGroups group_ranges(const Trace& trace, RangeChoice choice) {
  RangeGroups result;
  const Ranges& ranges = trace.ranges;
  for (Row row = 0; row < row_count(ranges); ++row) {
    if (!is_chosen(ranges, row, choice)) continue;
    const uint32_t group = result.groups.group_of({label_of_range(trace, row), ranges.style[row]});
    result.durations.add(group, ranges.end[row] - ranges.start[row]);
  }
  return result;
}

}  // namespace

void add_range_summary(const Trace& trace, RangeChoice choice, Table& table) {
  const RangeGroups ranges = group_ranges(trace, choice);
  const auto figures = ranges.durations.distributions(ranges.groups.size());
  add_time_summary(table, figures, "Instances");
  if (choice == RangeChoice::all) {
    auto& styles = table.texts("Style");
    for (const auto& [label, style] : ranges.groups.keys()) styles.push_back(style_word(style));
  }
  auto& names = table.texts("Range");
  for (const auto& [label, style] : ranges.groups.keys()) names.push_back(table.keep(label.text_of(trace)));
  table.select_rows(order_by_total(figures, names));
}

}  // namespace sonde
