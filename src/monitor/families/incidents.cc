#include <array>
#include <map>
#include <tuple>

#include "monitor/families/shared_family.h"

namespace sonde::monitor {
namespace incidents {
namespace {

void open_incidents(const Scrape& scrape, Samples& out) {
  std::map<std::tuple<std::string_view, std::string_view, std::string_view>, double> counts;
  for (const Incident& incident : scrape.host.open) {
    counts[{incident.gpu_uuid, incident.detector, severity_name(incident.severity)}] += 1;
  }
  for (const auto& [group, count] : counts) {
    const auto& [uuid, detector, severity] = group;
    out.add({{"uuid", uuid}, {"detector", detector}, {"severity", severity}}, count);
  }
}

void unacknowledged(const Scrape& scrape, Samples& out) {
  double count = 0;
  for (const Incident& incident : scrape.host.open) count += incident.acknowledged_ns ? 0 : 1;
  out.add({}, count);
}

constexpr auto kMetrics = std::to_array<Metric>({
    {.name = "sonde_incidents_open",
     .detail = MetricDetail::basic,
     .labels = "uuid, detector, severity",
     .help = "Open incidents, by detector and highest severity so far.",
     .collect = open_incidents},
    {.name = "sonde_incidents_unacknowledged",
     .detail = MetricDetail::basic,
     .help = "Open incidents that are not acknowledged.",
     .collect = unacknowledged},
});

}  // namespace
}  // namespace incidents

extern constinit const Family incidents_family;
constinit const Family incidents_family{.name = "incidents", .title = "Incidents", .metrics = incidents::kMetrics};

}  // namespace sonde::monitor
