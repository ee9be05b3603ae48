#include <cmath>
#include <map>

#include "metrics/catalogue.h"
#include "report/kernel_pages/ncu_csv_row.h"
#include "report/tables/quantity.h"

namespace sonde {
namespace kernel_raw_csv_page {
namespace {

/// A metric of all kernels. The largest value chooses the unit.
struct Column {
  std::string_view name;
  std::vector<const Metric*> metrics;  ///< nullptr for a kernel without it
  double largest = 0;
  std::string base_unit;
  DisplayScale scale;
};

/// Names with a colon are not metrics but lists of them.
bool is_list(std::string_view name) { return name.contains(':'); }

std::vector<Column> columns_of(const KernelPage& page) {
  std::map<std::string_view, std::vector<const Metric*>> by_name;
  for (size_t i = 0; i < page.kernels.size(); ++i) {
    for (const Metric& metric : page.kernels[i]->metrics) {
      const std::string_view name = page.trace->name(metric.name);
      if (is_list(name)) continue;
      auto& metrics = by_name[name];
      metrics.resize(page.kernels.size());
      metrics[i] = &metric;
    }
  }
  std::vector<Column> columns;
  for (auto& [name, metrics] : by_name) columns.push_back({name, std::move(metrics), 0, base_unit_of(page, name), {}});
  for (Column& column : columns) {
    for (const Metric* metric : column.metrics) {
      if (metric != nullptr) column.largest = std::max(column.largest, metric->value.number().value_or(0));
    }
    column.scale = display_scale(column.largest, column.base_unit, page.units);
  }
  return columns;
}

/// Six decimals where a number has a unit, but for whole numbers that are stored as such; two where it has none. A
/// column without a value above 0 is printed in whole numbers.
std::string number_text(const MetricValue& value, const Column& column) {
  const double number = *value.number();
  if (std::isnan(number)) return "nan";
  const bool whole = number == std::trunc(number);
  if (column.scale.unit.empty()) return with_separators(fmt::format("{:.{}f}", number, whole ? 0 : 2));
  if (value.is_integer() && column.scale.factor == 1) return fmt::format("{}", *value.exact());
  if (column.largest == 0) return fmt::format("{:.0f}", std::abs(std::trunc(number)));
  return fmt::format("{:.6f}", number / column.scale.factor);
}

std::string cell_text(const KernelPage& page, const Metric* metric, const Column& column) {
  constexpr std::string_view kNoData = "no data";
  if (metric == nullptr) return {};
  if (metric->value.is_absent() && metric->instances.empty()) return std::string(kNoData);
  if (page.units == PrintUnits::base || !metric->value.number()) return exact_text(page, *metric);
  return number_text(metric->value, column) + instances_text(page, *metric);
}

/// One line a kernel, one column a metric.
void write(const KernelPage& page, const Sink& sink) {
  const auto columns = columns_of(page);
  NcuCsvRow row;
  row.add_launch_titles();
  for (const Column& column : columns) row.add(column.name);
  sink(row.take());
  row.add_launch_blanks();
  for (const Column& column : columns) row.add(column.scale.unit);
  sink(row.take());
  for (size_t i = 0; i < page.kernels.size(); ++i) {
    row.add_launch(*page.trace, *page.kernels[i]);
    for (const Column& column : columns) row.add(cell_text(page, column.metrics[i], column));
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
        "all metrics, one line per kernel, in the format of ncu --page raw --csv; with --print-units base in full "
        "precision",
    .write = kernel_raw_csv_page::write,
};

}  // namespace sonde
