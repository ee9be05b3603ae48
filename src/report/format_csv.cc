#include "report/delimited.h"

namespace sonde {
namespace {

/// A cell is quoted only where it must be, as `nsys stats` does (RFC 4180).
void append_quoted(std::string& text, std::string_view cell) {
  if (cell.find_first_of(",\"\n\r") == std::string_view::npos) {
    text += cell;
    return;
  }
  text += '"';
  for (const char c : cell) {
    if (c == '"') text += '"';
    text += c;
  }
  text += '"';
}

void render(const Table& table, const RenderOptions& options, const Sink& sink) {
  render_delimited(table, options, sink, ',', append_quoted);
}

}  // namespace

extern const TableFormat csv_format;
const TableFormat csv_format{"csv", "comma-separated values with a header line", "csv", false, render};

}  // namespace sonde
