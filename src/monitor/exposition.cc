#include "monitor/exposition.h"

#include <fmt/format.h>

#include "monitor/families/shared_family.h"

namespace sonde::monitor {
namespace {

std::string_view type_of(MetricKind kind, DcgmForm dcgm) {
  switch (kind) {
    case MetricKind::counter: return "counter";
    case MetricKind::gauge: return "gauge";
    case MetricKind::untyped: break;
  }
  return dcgm == DcgmForm::exact ? "counter" : "untyped";
}

bool wanted(const Metric& metric, const Scrape& scrape) {
  return metric.detail == MetricDetail::basic || scrape.config.gpu.monitoring.detailed_gpu_metrics;
}

/// Appends the metric unless it has no samples now. Names and help texts are our own and need no escaping.
void append(const Metric& metric, const Scrape& scrape, std::string& text) {
  const size_t before = text.size();
  fmt::format_to(std::back_inserter(text), "# HELP {} {}\n# TYPE {} {}\n", metric.name, metric.help, metric.name,
                 type_of(metric.kind, scrape.dcgm));
  const size_t head_end = text.size();
  Samples samples(metric.name, text);
  metric.collect(scrape, samples);
  if (text.size() == head_end) text.resize(before);
}

}  // namespace

std::string exposition(const HostSnapshot& host, const config::Config& config, const std::string& hostname,
                       DcgmForm dcgm) {
  constexpr size_t kDefaultBytes = 40'000;  // of a GPU with all values; the head of each metric is in it
  const Scrape scrape{.host = host, .config = config, .hostname = hostname, .dcgm = dcgm};
  std::string text;
  text.reserve(kDefaultBytes * (host.gpus.size() + 1));
  for (const Family* family : families()) {
    for (const Metric& metric : family->metrics) {
      if (wanted(metric, scrape)) append(metric, scrape, text);
    }
  }
  return text;
}

}  // namespace sonde::monitor
