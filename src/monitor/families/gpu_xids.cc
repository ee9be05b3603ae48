#include <fmt/format.h>
#include <array>

#include "base/time_units.h"
#include "monitor/families/shared_family.h"

namespace sonde::monitor {
namespace gpu_xids {
namespace {

/// XIDs are what the service saw: they stay when the GPU is gone, since that is when they are read.
template <typename Value>
void add_xids(const Scrape& scrape, Samples& out, Value value) {
  for (const XidCount& xid : scrape.host.xids) {
    if (xid.gpu >= scrape.host.gpus.size()) continue;
    out.add({{"uuid", scrape.host.gpus[xid.gpu].uuid}, {"xid", fmt::format("{}", xid.xid)}}, value(xid));
  }
}

constexpr auto kMetrics = std::to_array<Metric>({
    {.name = "sonde_gpu_xid_errors_total",
     .kind = MetricKind::counter,
     .labels = "uuid, xid",
     .help = "XID errors since the service started. Alert on the timestamp: increase() misses the first error.",
     .collect =
         [](const Scrape& scrape, Samples& out) {
           add_xids(scrape, out, [](const XidCount& xid) { return static_cast<double>(xid.count); });
         }},
    {.name = "sonde_gpu_xid_last_timestamp_seconds",
     .labels = "uuid, xid",
     .help = "Unix time when this XID was last seen.",
     .collect =
         [](const Scrape& scrape, Samples& out) {
           add_xids(scrape, out, [](const XidCount& xid) { return static_cast<double>(xid.last_ns) / kSecondNs; });
         }},
});

}  // namespace
}  // namespace gpu_xids

extern constinit const Family gpu_xids_family;
constinit const Family gpu_xids_family{.name = "gpu_xids", .title = "XID errors", .metrics = gpu_xids::kMetrics};

}  // namespace sonde::monitor
