#include "analyses/views/memory_table.h"

#include <algorithm>

namespace sonde {
namespace {

void push(Column& column, std::optional<double> value) {
  if (auto* integers = std::get_if<Column::Integers>(&column.values)) {
    integers->push_back(integer_cell(value));
  } else {
    std::get<Column::Reals>(column.values).push_back(value.value_or(kAbsent));
  }
}

}  // namespace

MemoryTable::MemoryTable(std::initializer_list<std::string_view> texts, std::initializer_list<MemoryColumn> numbers) {
  for (const std::string_view name : texts) table_.texts(std::string(name));
  for (const MemoryColumn& column : numbers) {
    if (column.decimals == 0) {
      table_.integers(std::string(column.name), column.unit);
    } else {
      table_.reals(std::string(column.name), column.unit, column.decimals);
    }
  }
}

void MemoryTable::add(std::initializer_list<std::string_view> texts,
                      const std::vector<std::optional<double>>& numbers) {
  if (std::ranges::none_of(numbers, [](const auto& number) { return number.has_value(); })) return;
  ++rows_;
  size_t column = 0;
  for (const std::string_view text : texts) std::get<Column::Texts>(table_.columns[column++].values).push_back(text);
  for (const auto& number : numbers) push(table_.columns[column++], number);
}

Table MemoryTable::take(std::string note) && {
  table_.note = std::move(note);
  return std::move(table_);
}

}  // namespace sonde
