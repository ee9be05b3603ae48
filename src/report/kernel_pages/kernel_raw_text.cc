#include <algorithm>

#include "metrics/quantities.h"
#include "report/text/kernel_text.h"

namespace sonde {
namespace kernel_raw_text_page {
namespace {

void write(const KernelPage& page, const Sink& sink) {
  for (const KernelProfile* kernel : page.kernels) {
    std::vector<ShownMetric> metrics;
    for (const Metric& metric : kernel->metrics) metrics.push_back(shown_metric(page, metric));
    std::ranges::stable_sort(metrics, {}, &ShownMetric::label);
    for (ShownMetric& metric : metrics) {
      if (!metric.collected) metric.value = reason_of_absence(metric.label, *page.trace, *kernel);
    }
    sink(kernel_heading(*page.trace, *kernel));
    sink(metric_lines(metrics));
    sink("\n");
  }
}

}  // namespace
}  // namespace kernel_raw_text_page

extern const KernelPageFormat kernel_raw_text;
const KernelPageFormat kernel_raw_text{
    .page = "raw",
    .format = "text",
    .description = "all metrics of each kernel by name",
    .write = kernel_raw_text_page::write,
};

}  // namespace sonde
