#include "analyses/tables/table.h"

#include <cmath>
#include <ranges>
#include <type_traits>

namespace sonde {

int64_t integer_cell(std::optional<double> number) {
  constexpr double kEnd = 9223372036854775808.0;  // 2^63, the first that does not fit
  return number && std::abs(*number) < kEnd ? std::llround(*number) : kUnknown;
}

size_t Table::rows() const {
  if (columns.empty()) return 0;
  return std::visit([](const auto& values) { return values.size(); }, columns.front().values);
}

Column::Integers& Table::integers(std::string column_name, Unit unit) {
  columns.push_back({std::move(column_name), unit, 0, Column::Integers()});
  return std::get<Column::Integers>(columns.back().values);
}

Column::Reals& Table::reals(std::string column_name, Unit unit, int decimals) {
  columns.push_back({std::move(column_name), unit, decimals, Column::Reals()});
  return std::get<Column::Reals>(columns.back().values);
}

Column::Texts& Table::texts(std::string column_name) {
  columns.push_back({std::move(column_name), Unit::none, 0, Column::Texts()});
  return std::get<Column::Texts>(columns.back().values);
}

bool is_absent(const Column& column, size_t row) {
  if (const auto* integers = std::get_if<Column::Integers>(&column.values)) return (*integers)[row] == kUnknown;
  if (const auto* reals = std::get_if<Column::Reals>(&column.values)) return std::isnan((*reals)[row]);
  return std::get<Column::Texts>(column.values)[row].data() == nullptr;
}

void Table::drop_columns(const std::vector<size_t>& indexes) {
  for (const size_t index : indexes | std::views::reverse) {
    columns.erase(columns.begin() + static_cast<std::ptrdiff_t>(index));
  }
}

void Table::select_rows(const std::vector<Row>& order) {
  for (Column& column : columns) {
    std::visit(
        [&](auto& values) {
          std::remove_reference_t<decltype(values)> selected;
          selected.reserve(order.size());
          for (const Row row : order) selected.push_back(values[row]);
          values = std::move(selected);
        },
        column.values);
  }
}

}  // namespace sonde
