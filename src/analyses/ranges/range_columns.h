#pragma once

#include <string>
#include <vector>

#include "analyses/tables/table.h"
#include "trace/trace.h"

namespace sonde {

/// Adds a column with `value(row)` of each of `rows`.
template <typename Value>
void add_column(Table& table, std::string name, Unit unit, const std::vector<Row>& rows, Value value) {
  auto& column = table.integers(std::move(name), unit);
  column.reserve(rows.size());
  for (const Row row : rows) column.push_back(value(row));
}

/// Adds a column with the name of each range, "domain:text". Equal names are one and the same text in memory.
const Column::Texts& add_range_names(Table& table, std::string name, const Trace& trace, const std::vector<Row>& rows);

}  // namespace sonde
