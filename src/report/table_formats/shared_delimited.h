#pragma once

#include "report/tables/cells.h"

namespace sonde {

/// Writes a header and rows with a separator between cells. `append` adds one cell's text in the format's own quoting.
template <typename Append>
void render_delimited(const Table& table, const RenderOptions& options, const Sink& sink, char separator,
                      Append&& append) {
  constexpr size_t kFlushBytes = 1 << 16;
  std::string text;
  std::string cell;
  const auto line = [&](auto&& fill) {
    for (size_t c = 0; c < table.columns.size(); ++c) {
      if (c > 0) text += separator;
      cell.clear();
      fill(table.columns[c]);
      append(text, cell);
    }
    text += '\n';
    if (text.size() < kFlushBytes) return;
    sink(text);
    text.clear();
  };
  line([&](const Column& column) { cell = header_of(column, *options.time_unit); });
  for (size_t row = 0; row < table.rows(); ++row) {
    line([&](const Column& column) { append_cell(cell, column, row, *options.time_unit); });
  }
  sink(text);
}

}  // namespace sonde
