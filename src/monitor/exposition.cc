#include "monitor/exposition.h"

#include <prometheus/text_serializer.h>

#include "monitor/families/family.h"

namespace sonde::monitor {
namespace {

prometheus::MetricType type_of(MetricKind kind) {
  switch (kind) {
    case MetricKind::counter: return prometheus::MetricType::Counter;
    case MetricKind::gauge: return prometheus::MetricType::Gauge;
    case MetricKind::untyped: break;
  }
  return prometheus::MetricType::Untyped;
}

bool wanted(const Metric& metric, const Scrape& scrape) {
  return metric.detail == MetricDetail::basic || scrape.config.gpu.monitoring.detailed_gpu_metrics;
}

/// Appends the metric unless it has no samples now.
void collect(const Metric& metric, const Scrape& scrape, std::vector<prometheus::MetricFamily>& all) {
  prometheus::MetricFamily family{
      .name = std::string(metric.name), .help = std::string(metric.help), .type = type_of(metric.kind), .metric = {}};
  Samples samples(metric.kind, family.metric);
  metric.collect(scrape, samples);
  if (!family.metric.empty()) all.push_back(std::move(family));
}

}  // namespace

std::string exposition(const HostSnapshot& host, const config::Config& config, const std::string& hostname,
                       DcgmForm dcgm) {
  const Scrape scrape{.host = host, .config = config, .hostname = hostname, .dcgm = dcgm};
  std::vector<prometheus::MetricFamily> all;
  for (const Family* family : families()) {
    for (const Metric& metric : family->metrics) {
      if (wanted(metric, scrape)) collect(metric, scrape, all);
    }
  }
  return prometheus::TextSerializer().Serialize(all);
}

}  // namespace sonde::monitor
