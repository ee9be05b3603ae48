#include <array>

#include "monitor/families/shared_family.h"

namespace sonde::monitor {
namespace gpu_values {
namespace {

// NOLINTBEGIN(bugprone-macro-parentheses): members and enumerators cannot stand in parentheses.
constexpr auto kMetrics = std::to_array<Metric>({
#define SONDE_GPU_METRIC(n, member, factor, k, d, h)                                                      \
  {.name = n,                                                                                             \
   .kind = MetricKind::k,                                                                                 \
   .detail = MetricDetail::d,                                                                             \
   .labels = "uuid",                                                                                      \
   .help = h,                                                                                             \
   .collect = [](const Scrape& scrape, Samples& out) {                                                    \
     add_value(scrape, out, factor, [](const device::GpuReading& r) -> const auto& { return r.member; }); \
   }},
#include "monitor/families/shared_gpu_metrics.inc"
#undef SONDE_GPU_METRIC
});
// NOLINTEND(bugprone-macro-parentheses)

}  // namespace
}  // namespace gpu_values

extern constinit const Family gpu_values_family;
constinit const Family gpu_values_family{
    .name = "gpu_values", .title = "Values of a GPU", .metrics = gpu_values::kMetrics};

}  // namespace sonde::monitor
