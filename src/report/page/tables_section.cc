#include <algorithm>
#include <array>
#include <cmath>

#include "report/page/json_columns.h"
#include "report/page/section.h"
#include "report/tables/cells.h"

namespace sonde {
namespace tables {
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

std::string note_of(const StatsTable& made) {
  if (!made.left_out) return made.table.note;
  return fmt::format(
      "Not created because the run has too many events; use the timeline, or run sonde stats -r {} FILE.",
      made.report->name);
}

Json table_json(const StatsTable& made, int64_t origin_ns) {
  Json columns = Json::array();
  for (const Column& column : made.table.columns) {
    if (!made.left_out) columns.push_back(column_json(column, origin_ns));
  }
  return {{"name", made.report->name}, {"title", made.report->title},   {"description", made.report->description},
          {"note", note_of(made)},     {"columns", std::move(columns)}, {"rows", made.rows}};
}

Json write(const ReportSource& source) {
  Json tables = Json::array();
  for (const StatsTable& made : source.tables) {
    if (made.rows > 0 || made.left_out) tables.push_back(table_json(made, source.origin_ns()));
  }
  return tables.empty() ? Json(nullptr) : Json{{"tables", std::move(tables)}};
}

}  // namespace
}  // namespace tables

extern const ReportSection tables_section;
const ReportSection tables_section{"tables", "every statistics table that the profile has data for", tables::write};

}  // namespace sonde
