#include "dispatch/metrics/exposition.h"

#include <array>
#include <iterator>

#include <fmt/format.h>

#include "dispatch/metrics/family.h"

namespace sonde::dispatch {

#define SONDE_TASK_FAMILY(name) extern const TaskFamily name##_family;
#include "dispatch/metrics/families.inc"
#undef SONDE_TASK_FAMILY

namespace {

/// Appends the metric unless it has no samples now. Names and help texts are our own and need no escaping.
void append(const TaskMetric& metric, const TaskScrape& scrape, std::string& text) {
  const size_t before = text.size();
  fmt::format_to(std::back_inserter(text), "# HELP {} {}\n# TYPE {} {}\n", metric.name, metric.help, metric.name,
                 kind_name(metric.kind));
  const size_t head_end = text.size();
  TaskSamples samples(metric.name, text);
  metric.collect(scrape, samples);
  if (text.size() == head_end) text.resize(before);
}

}  // namespace

std::string_view kind_name(MetricKind kind) {
  static constexpr std::array<std::string_view, 3> kNames = {"gauge", "counter", "histogram"};
  return kNames.at(static_cast<size_t>(kind));
}

std::span<const TaskFamily* const> task_families() {
  static const std::array all = {
#define SONDE_TASK_FAMILY(name) &name##_family,
#include "dispatch/metrics/families.inc"
#undef SONDE_TASK_FAMILY
  };
  return all;
}

std::string exposition(const QueueSnapshot& queue, const config::Config& config, int64_t file_bytes) {
  const TaskScrape scrape{.queue = queue, .config = config, .file_bytes = file_bytes};
  std::string text;
  for (const TaskFamily* family : task_families()) {
    if (!family->is_on(config.gpu.monitoring)) continue;
    for (const TaskMetric& metric : family->metrics) append(metric, scrape, text);
  }
  return text;
}

}  // namespace sonde::dispatch
