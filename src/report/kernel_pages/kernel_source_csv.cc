#include "report/kernel_pages/ncu_csv_row.h"
#include "report/kernel_pages/source_rows.h"

namespace sonde {
namespace kernel_source_csv_page {
namespace {

constexpr size_t kTitleCells = 2;

void write_source(const SourceRows& source, const Sink& sink) {
  NcuCsvRow row;
  row.add("Kernel Name");
  row.add(source.kernel);
  if (source.titles.size() > kTitleCells) row.end();
  sink(row.take());
  for (const std::string& title : source.titles) row.add(title);
  sink(row.take());
  for (const auto& cells : source.rows) {
    for (const std::string& cell : cells) row.add(cell);
    sink(row.take());
  }
}

void write(const KernelPage& page, const Sink& sink) {
  for (const KernelProfile* kernel : page.kernels) {
    const SourceRows source = source_rows(page, *kernel);
    if (source.rows.empty()) continue;
    const uint32_t copies = page.trace->device_functions[kernel->function].copies;
    for (uint32_t i = 0; i < std::max(copies, 1U); ++i) write_source(source, sink);
  }
}

}  // namespace
}  // namespace kernel_source_csv_page

extern const KernelPageFormat kernel_source_csv;
const KernelPageFormat kernel_source_csv{
    .page = "source",
    .format = "csv",
    .description = "instructions with their counters and samples, in the format of ncu --page source --csv",
    .write = kernel_source_csv_page::write,
};

}  // namespace sonde
