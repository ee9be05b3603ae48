#pragma once

#include <string>

#include "report/tables/table_format.h"

namespace sonde {

/// "bytes", "GB/s"; of times that of `time_unit`. Empty for none.
[[nodiscard]] std::string_view unit_symbol(Unit unit, const TimeUnit& time_unit = nanoseconds_unit());

/// The header of a column with its unit: "Total Time (ns)".
[[nodiscard]] std::string header_of(const Column& column, const TimeUnit& time_unit);

/// How numbers are written: plain for machines, with thousands separators for people.
enum class Digits { plain, grouped };

/// Appends a cell's text; nothing for an absent value.
void append_cell(std::string& text, const Column& column, size_t row, const TimeUnit& time_unit,
                 Digits digits = Digits::plain);

[[nodiscard]] bool is_text(const Column& column);

}  // namespace sonde
