#include "inject/gpu_metrics/metric_set.h"

#include <cstring>

#include "inject/attachment.h"

namespace sonde::inject::gpu_metrics {
namespace {

constexpr MetricChoice kGeneral[] = {
#define SONDE_GPU_METRIC(shown, factor, ...) {shown, factor, {__VA_ARGS__}},
#include "inject/gpu_metrics/metric_set.inc"
};

constinit MetricSet set;
constinit char names[sizeof wire::GpuMetricsWanted::names + 1] = {};

/// As they are in the header, a newline behind each.
void take_names() noexcept {
  memcpy(names, attachment.header->gpu_metrics.names, sizeof names - 1);
  char* name = names;
  for (char* end = strchr(name, '\n'); end != nullptr; end = strchr(name, '\n')) {
    *end = '\0';
    if (set.count < wire::kMaxSampledMetrics) set.choices[set.count++] = {name, 1, {name}};
    name = end + 1;
  }
}

}  // namespace

const MetricSet& wanted_metrics() noexcept {
  if (set.count > 0) return set;
  take_names();
  if (set.count > 0) return set;
  for (const MetricChoice& choice : kGeneral) set.choices[set.count++] = choice;
  return set;
}

}  // namespace sonde::inject::gpu_metrics
