#include "record/rounds/parts.h"

#include "trace/columns.h"
#include "trace/link.h"

namespace sonde::record {

size_t event_rows(const Trace& trace) {
  size_t rows = 0;
  for_each_table(trace, [&](const auto& table, std::string_view) { rows += row_count(table); });
  return rows;
}

void give_part(Trace& trace, const PartTaker& take) {
  order_tables(trace);
  take(trace);
  for_each_table(trace, [](auto& table, std::string_view) { clear_rows(table); });
}

}  // namespace sonde::record
