#include "report/tables/cells.h"

namespace sonde {
namespace markdown {
namespace {

/// A '|' or a line end would end the cell.
void append_escaped(std::string& text, std::string_view cell) {
  for (const char c : cell) {
    if (c == '|') text += '\\';
    text += c == '\n' || c == '\r' ? ' ' : c;
  }
}

void render(const Table& table, const RenderOptions& options, const Sink& sink) {
  std::string text = "|";
  for (const Column& column : table.columns) text += fmt::format(" {} |", header_of(column, *options.time_unit));
  text += "\n|";
  for (const Column& column : table.columns) text += is_text(column) ? " :--- |" : " ---: |";
  sink(text + "\n");
  for (size_t row = 0; row < table.rows(); ++row) {
    text = "|";
    for (const Column& column : table.columns) {
      std::string cell;
      append_cell(cell, column, row, *options.time_unit, Digits::grouped);
      text += ' ';
      append_escaped(text, cell.empty() && is_absent(column, row) ? "-" : cell);
      text += " |";
    }
    sink(text + "\n");
  }
}

}  // namespace
}  // namespace markdown

extern const TableFormat markdown_format;
const TableFormat markdown_format{"markdown", "a Markdown table, for issues and pull requests", "md", true,
                                  markdown::render};

}  // namespace sonde
