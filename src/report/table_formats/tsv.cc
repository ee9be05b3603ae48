#include "report/table_formats/shared_delimited.h"

namespace sonde {
namespace tsv {
namespace {

/// A tab or a line end in a cell would end it: each becomes a space.
void append_flat(std::string& text, std::string_view cell) {
  for (const char c : cell) text += c == '\t' || c == '\n' || c == '\r' ? ' ' : c;
}

void render(const Table& table, const RenderOptions& options, const Sink& sink) {
  render_delimited(table, options, sink, '\t', append_flat);
}

}  // namespace
}  // namespace tsv

extern const TableFormat tsv_format;
const TableFormat tsv_format{"tsv", "tab-separated values with a header line", "tsv", false, tsv::render};

}  // namespace sonde
