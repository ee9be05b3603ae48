#include "gate/metric.h"

#include <algorithm>
#include <array>

namespace sonde::gate {
namespace {

using namespace selector;

constexpr auto kMetrics = std::to_array<Metric>({
#define SONDE_GATE_METRIC(name, unit, kind, better, selectors, description) \
  {#name, Unit::unit, MetricKind::kind, Better::better, (selectors), description},
#include "gate/metrics.inc"
#undef SONDE_GATE_METRIC
});

constexpr auto kNames = std::to_array<std::string_view>({
#define SONDE_GATE_METRIC(name, unit, kind, better, selectors, description) #name,
#include "gate/metrics.inc"
#undef SONDE_GATE_METRIC
});

}  // namespace

std::span<const Metric> metrics() { return kMetrics; }

std::span<const std::string_view> metric_names() { return kNames; }

const Metric* find_metric(std::string_view name) {
  const auto* const found = std::ranges::find(kMetrics, name, &Metric::name);
  return found == kMetrics.end() ? nullptr : found;
}

}  // namespace sonde::gate
