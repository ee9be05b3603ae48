#include "report/tables/cells.h"

#include <array>
#include <cmath>

#include "report/tables/quantity.h"

namespace sonde {
namespace {

std::string number_text(const Column& column, size_t row, const TimeUnit& time_unit) {
  const bool scaled = column.unit == Unit::nanoseconds && time_unit.decimals >= 0;
  if (const auto* integers = std::get_if<Column::Integers>(&column.values)) {
    const int64_t value = (*integers)[row];
    if (!scaled) return fmt::format("{}", value);
    return fmt::format("{:.{}f}", static_cast<double>(value) / time_unit.nanoseconds, time_unit.decimals);
  }
  const double value = std::get<Column::Reals>(column.values)[row];
  if (!scaled) return fmt::format("{:.{}f}", value, column.decimals);
  return fmt::format("{:.{}f}", value / time_unit.nanoseconds, time_unit.decimals);
}

}  // namespace

std::string_view unit_symbol(Unit unit, const TimeUnit& time_unit) {
  switch (unit) {
    case Unit::nanoseconds: return time_unit.symbol;
    case Unit::bytes: return "bytes";
    case Unit::megabytes: return "MB";
    case Unit::percent: return "%";
    case Unit::megabytes_per_second: return "MB/s";
    case Unit::gigabytes_per_second: return "GB/s";
    case Unit::gigaflop_per_second: return "GFLOP/s";
    case Unit::flop_per_byte: return "FLOP/byte";
    case Unit::none: break;
  }
  return {};
}

std::string header_of(const Column& column, const TimeUnit& time_unit) {
  const std::string_view unit = unit_symbol(column.unit, time_unit);
  return unit.empty() ? column.name : fmt::format("{} ({})", column.name, unit);
}

bool is_text(const Column& column) { return std::holds_alternative<Column::Texts>(column.values); }

void append_cell(std::string& text, const Column& column, size_t row, const TimeUnit& time_unit, Digits digits) {
  if (is_absent(column, row)) return;
  if (const auto* texts = std::get_if<Column::Texts>(&column.values)) {
    text += (*texts)[row];
    return;
  }
  std::string number = number_text(column, row, time_unit);
  text += digits == Digits::grouped ? with_separators(std::move(number)) : number;
}

}  // namespace sonde
