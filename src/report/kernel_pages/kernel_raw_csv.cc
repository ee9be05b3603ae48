#include <map>

#include "metrics/catalogue.h"
#include "report/kernel_pages/ncu_csv_row.h"

namespace sonde {
namespace kernel_raw_csv_page {
namespace {

/// The metrics of all kernels by name, with the unit of the first value shown.
std::map<std::string_view, std::string> columns_of(const KernelPage& page) {
  std::map<std::string_view, std::string> columns;
  for (const KernelProfile* kernel : page.kernels) {
    for (const Metric& metric : kernel->metrics) {
      auto& unit = columns[page.trace->name(metric.name)];
      if (unit.empty()) unit = shown_metric(page, metric).unit;
    }
  }
  return columns;
}

/// One line a kernel, one column a metric, in base units: a column has one unit, so nothing is scaled.
void write(const KernelPage& wanted, const Sink& sink) {
  KernelPage page = wanted;
  page.units = PrintUnits::base;
  const auto columns = columns_of(page);
  NcuCsvRow row;
  row.add_launch_titles();
  for (const auto& [name, unit] : columns) row.add(name);
  sink(row.take());
  row.add_launch_blanks();
  for (const auto& [name, unit] : columns) row.add(unit);
  sink(row.take());
  for (const KernelProfile* kernel : page.kernels) {
    row.add_launch(*page.trace, *kernel);
    for (const auto& [name, unit] : columns) {
      const Metric* metric = find_metric(*page.trace, *kernel, name);
      row.add(metric == nullptr ? std::string() : exact_text(page, *metric));
    }
    sink(row.take());
  }
}

}  // namespace
}  // namespace kernel_raw_csv_page

extern const KernelPageFormat kernel_raw_csv;
const KernelPageFormat kernel_raw_csv{
    .page = "raw",
    .format = "csv",
    .description =
        "all metrics in base units and full precision, one line per kernel, in the format of ncu --page raw --csv "
        "--print-units base; metrics that were not collected are empty",
    .write = kernel_raw_csv_page::write,
};

}  // namespace sonde
