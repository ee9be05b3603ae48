#include "analyses/tables/stacked_table.h"

#include <algorithm>
#include <type_traits>

namespace sonde {
namespace {

/// The value of an absent cell.
template <typename T>
T absent_cell() {
  if constexpr (std::is_same_v<T, int64_t>) {
    return kUnknown;
  } else if constexpr (std::is_same_v<T, double>) {
    return kAbsent;
  } else {
    return T();
  }
}

void resize(Column& column, size_t rows) {
  std::visit([&](auto& values) { values.resize(rows, absent_cell<std::decay_t<decltype(values.front())>>()); },
             column.values);
}

}  // namespace

void StackedTable::add_column_like(const Column& column, size_t rows) {
  Column& added = table_.columns.emplace_back(column);
  std::visit([](auto& values) { values.clear(); }, added.values);
  resize(added, rows);
}

Column* StackedTable::find_like(const Column& column) {
  const auto found = std::find_if(table_.columns.begin() + 1, table_.columns.end(), [&](const Column& c) {
    return c.name == column.name && c.unit == column.unit && c.values.index() == column.values.index();
  });
  return found == table_.columns.end() ? nullptr : &*found;
}

void StackedTable::add(std::string_view part, const Table& table) {
  if (table_.columns.empty()) {
    table_.name = table.name;
    table_.title = table.title;
    table_.texts(column_);
  }
  const size_t before = table_.rows();
  for (const Column& column : table.columns) {
    if (find_like(column) == nullptr) add_column_like(column, before);
  }
  const size_t rows = before + table.rows();
  for (Column& column : table_.columns) resize(column, rows);
  auto& parts = std::get<Column::Texts>(table_.columns.front().values);
  std::fill(parts.begin() + static_cast<std::ptrdiff_t>(before), parts.end(), table_.keep(std::string(part)));
  for (const Column& column : table.columns) {
    Column& target = *find_like(column);
    std::visit(
        [&](const auto& values) {
          auto& all = std::get<std::remove_cvref_t<decltype(values)>>(target.values);
          std::ranges::copy(values, all.begin() + static_cast<std::ptrdiff_t>(before));
        },
        column.values);
  }
  // Texts of the part point into its trace.
  for (Column& column : table_.columns) {
    auto* texts = std::get_if<Column::Texts>(&column.values);
    if (texts == nullptr || &column == &table_.columns.front()) continue;
    for (size_t row = before; row < rows; ++row) {
      std::string_view& text = (*texts)[row];
      if (text.data() != nullptr) text = table_.keep(std::string(text));
    }
  }
}

}  // namespace sonde
