#include "report/table_formats/shared_csv_cell.h"
#include "report/table_formats/shared_delimited.h"

namespace sonde {
namespace csv {
namespace {

void render(const Table& table, const RenderOptions& options, const Sink& sink) {
  render_delimited(table, options, sink, ',', append_csv_cell);
}

}  // namespace
}  // namespace csv

extern const TableFormat csv_format;
const TableFormat csv_format{"csv", "comma-separated values with a header line", "csv", false, csv::render};

}  // namespace sonde
