#include <nlohmann/json.hpp>

#include "report/tables/cells.h"

namespace sonde {
namespace json {
namespace {

std::string json_text(std::string_view text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

void append_value(std::string& text, const Column& column, size_t row, const TimeUnit& time_unit) {
  if (is_absent(column, row)) {
    text += "null";
  } else if (is_text(column)) {
    text += json_text(std::get<Column::Texts>(column.values)[row]);
  } else {
    append_cell(text, column, row, time_unit);
  }
}

/// An array of objects, one a row, keyed by the headers that the other formats have.
void render(const Table& table, const RenderOptions& options, const Sink& sink) {
  std::vector<std::string> keys;
  for (const Column& column : table.columns) keys.push_back(json_text(header_of(column, *options.time_unit)));
  sink("[");
  std::string text;
  for (size_t row = 0; row < table.rows(); ++row) {
    text = row == 0 ? "\n  {" : ",\n  {";
    for (size_t c = 0; c < table.columns.size(); ++c) {
      text += fmt::format("{}{}: ", c == 0 ? "" : ", ", keys[c]);
      append_value(text, table.columns[c], row, *options.time_unit);
    }
    sink(text + "}");
  }
  sink("\n]\n");
}

}  // namespace
}  // namespace json

extern const TableFormat json_format;
const TableFormat json_format{"json", "an array of objects, one per row; absent values are null", "json", false,
                              json::render};

}  // namespace sonde
