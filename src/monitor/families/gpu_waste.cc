#include <array>

#include "monitor/families/shared_family.h"

namespace sonde::monitor {
namespace gpu_waste {
namespace {

constexpr double kSecondsPerHour = 3600;
constexpr double kJoulesPerKwh = 3.6e6;
constexpr int64_t kDayNs = 86'400'000'000'000;

/// Entries of the day that runs. A counter that begins anew at midnight loses nothing: Prometheus takes a counter that
/// falls as one that began at 0, whereas the sum of the days that are kept falls each time the oldest one goes.
template <typename Visit>
void for_each_entry(const Scrape& scrape, Visit visit) {
  const auto today = scrape.host.waste.find(scrape.host.moment_ns / kDayNs * kDayNs);
  if (today == scrape.host.waste.end()) return;
  for (const WasteEntry& entry : today->second) visit(entry);
}

void add_amounts(const Scrape& scrape, Samples& out, double WasteEntry::* amount, double factor) {
  for_each_entry(scrape, [&](const WasteEntry& e) {
    out.add({{"uuid", e.gpu_uuid}, {"kind", waste_name(e.kind)}, {"user", e.user}, {"container", e.container}},
            e.*amount * factor);
  });
}

void time(const Scrape& scrape, Samples& out) { add_amounts(scrape, out, &WasteEntry::hours, kSecondsPerHour); }

void energy(const Scrape& scrape, Samples& out) { add_amounts(scrape, out, &WasteEntry::energy_kwh, kJoulesPerKwh); }

void cost(const Scrape& scrape, Samples& out) {
  const config::Cost& price = scrape.config.sonde.cost;
  if (price.per_kwh <= 0 && price.per_gpu_hour <= 0) return;
  for_each_entry(scrape, [&](const WasteEntry& e) {
    out.add({{"uuid", e.gpu_uuid},
             {"kind", waste_name(e.kind)},
             {"user", e.user},
             {"container", e.container},
             {"currency", price.currency}},
            e.money);
  });
}

constexpr auto kMetrics = std::to_array<Metric>({
    {.name = "sonde_gpu_waste_seconds_total",
     .kind = MetricKind::counter,
     .labels = "uuid, kind, user, container",
     .help = "GPU time that was paid for but not used, since midnight UTC: held_idle, dead_memory or unused.",
     .collect = time},
    {.name = "sonde_gpu_waste_energy_joules_total",
     .kind = MetricKind::counter,
     .labels = "uuid, kind, user, container",
     .help = "Energy consumed during wasted GPU time, since midnight UTC.",
     .collect = energy},
    {.name = "sonde_gpu_waste_cost_total",
     .kind = MetricKind::counter,
     .labels = "uuid, kind, user, container, currency",
     .help = "Cost of wasted GPU time at the configured price, since midnight UTC; absent if no price is configured.",
     .collect = cost},
});

}  // namespace
}  // namespace gpu_waste

extern constinit const Family gpu_waste_family;
constinit const Family gpu_waste_family{.name = "gpu_waste", .title = "Waste", .metrics = gpu_waste::kMetrics};

}  // namespace sonde::monitor
