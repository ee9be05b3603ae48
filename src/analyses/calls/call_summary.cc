#include "analyses/calls/call_summary.h"

#include "analyses/tables/grouped_values.h"
#include "analyses/tables/grouping.h"
#include "analyses/tables/time_summary.h"
#include "trace/columns.h"

namespace sonde {

void add_call_summary(const Trace& trace, const Calls& calls, CallClass call_class, Table& table) {
  Grouping<NameId> groups;
  GroupedValues durations;
  for (Row row = 0; row < row_count(calls); ++row) {
    if (calls.call_class[row] != static_cast<uint8_t>(call_class) || calls.end[row] == kUnknown) continue;
    durations.add(groups.group_of(calls.name[row]), calls.end[row] - calls.start[row]);
  }
  const auto figures = durations.distributions(groups.size());
  add_time_summary(table, figures, "Num Calls");
  auto& names = table.texts("Name");
  for (const NameId name : groups.keys()) names.push_back(trace.name(name));
  table.select_rows(order_by_total(figures, names));
}

}  // namespace sonde
