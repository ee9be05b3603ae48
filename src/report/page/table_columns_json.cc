#include "report/page/table_columns_json.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "report/page/json_columns.h"
#include "report/tables/cells.h"

namespace sonde {
namespace {

using Json = nlohmann::ordered_json;

std::string_view unit_word(Unit unit) { return unit == Unit::none ? "none" : unit_symbol(unit); }

/// Moments, which are counted from the first event on: "Start", "Kernel Start", "End".
bool is_moment(const Column& column) {
  if (column.unit != Unit::nanoseconds) return false;
  constexpr std::array<std::string_view, 2> kWords = {"Start", "End"};
  const std::string_view name = column.name;
  return std::ranges::any_of(kWords, [&](std::string_view word) {
    return name.ends_with(word) && (name.size() == word.size() || name[name.size() - word.size() - 1] == ' ');
  });
}

Json cell_json(int64_t value, const Column& column, int64_t origin_ns) {
  if (value == kUnknown) return nullptr;
  return is_moment(column) ? value - origin_ns : value;
}

/// With the digits that the column has everywhere.
Json cell_json(double value, const Column& column, int64_t) {
  const double digits = std::pow(10.0, column.decimals);
  const double rounded = std::round(value * digits) / digits;
  return number_or_null(std::isfinite(rounded) ? rounded : value);
}

Json cell_json(std::string_view value, const Column&, int64_t) {
  return value.data() == nullptr ? Json(nullptr) : Json(value);
}

Json column_json(const Column& column, int64_t origin_ns) {
  Json values = Json::array();
  std::visit(
      [&](const auto& cells) {
        for (const auto& cell : cells) values.push_back(cell_json(cell, column, origin_ns));
      },
      column.values);
  return {{"name", column.name},
          {"unit", unit_word(column.unit)},
          {"decimals", column.decimals},
          {"values", std::move(values)}};
}

}  // namespace

Json table_columns_json(const Table& table, int64_t origin_ns) {
  return json_column(table.columns, [&](const Column& column) { return column_json(column, origin_ns); });
}

}  // namespace sonde
