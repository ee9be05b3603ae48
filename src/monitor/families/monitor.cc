#include <array>

#include "base/time_units.h"
#include "monitor/families/shared_family.h"

namespace sonde::monitor {
namespace monitor {
namespace {

void add_sample(Samples& out, double value) { out.add({}, value); }
void add_sample(Samples& out, int64_t value) { add_sample(out, static_cast<double>(value)); }

void build(const Scrape& scrape, Samples& out) {
  out.add({{"version", SONDE_VERSION}, {"source", scrape.host.source.source}}, 1);
}

void last_success(const Scrape& scrape, Samples& out) {
  const int64_t moment = scrape.host.state.last_success_ns;
  if (moment != 0) add_sample(out, static_cast<double>(moment) / kSecondNs);
}

#define SONDE_SAMPLE(expression) [](const Scrape& scrape, Samples& out) { add_sample(out, expression); }

constexpr auto kMetrics = std::to_array<Metric>({
    {.name = "sonde_build_info",
     .detail = MetricDetail::basic,
     .labels = "version, source",
     .help = "Always 1; version of Sonde and source of the GPU values: nvml or simulated.",
     .collect = build},
    {.name = "sonde_monitor_gpus",
     .detail = MetricDetail::basic,
     .help = "Number of GPUs of the source.",
     .collect = SONDE_SAMPLE(static_cast<double>(scrape.host.gpus.size()))},
    {.name = "sonde_monitor_interval_seconds",
     .detail = MetricDetail::basic,
     .help = "Configured sampling interval.",
     .collect = SONDE_SAMPLE(scrape.config.gpu.monitoring.interval)},
    {.name = "sonde_monitor_last_success_timestamp_seconds",
     .detail = MetricDetail::basic,
     .help = "Unix time of the last successful sampling round.",
     .collect = last_success},
    {.name = "sonde_monitor_round_duration_seconds",
     .detail = MetricDetail::basic,
     .help = "Duration of the last sampling round.",
     .collect = SONDE_SAMPLE(scrape.host.state.last_duration_s)},
    {.name = "sonde_monitor_rounds_total",
     .kind = MetricKind::counter,
     .detail = MetricDetail::basic,
     .help = "Sampling rounds since the start.",
     .collect = SONDE_SAMPLE(scrape.host.state.rounds)},
    {.name = "sonde_monitor_failed_rounds_total",
     .kind = MetricKind::counter,
     .detail = MetricDetail::basic,
     .help = "Sampling rounds in which the source could not be read.",
     .collect = SONDE_SAMPLE(scrape.host.state.failed_rounds)},
    {.name = "sonde_monitor_source_up",
     .detail = MetricDetail::basic,
     .help = "1 if the source of the GPU values (NVML) is open, 0 if it cannot be opened.",
     .collect = SONDE_SAMPLE(scrape.host.state.source_trouble.empty() ? 1.0 : 0.0)},
    {.name = "sonde_monitor_source_openings_total",
     .kind = MetricKind::counter,
     .detail = MetricDetail::basic,
     .help =
         "Number of times that the source of the GPU values (NVML) was opened; above 1 after the driver was reloaded.",
     .collect = SONDE_SAMPLE(scrape.host.state.source_openings)},
    {.name = "sonde_history_up",
     .detail = MetricDetail::basic,
     .help = "1 if samples are written to the history on disk, 0 if not (disk full, read-only).",
     .collect = SONDE_SAMPLE(scrape.host.state.history_trouble.empty() ? 1.0 : 0.0)},
    {.name = "sonde_alerts_sent_total",
     .kind = MetricKind::counter,
     .detail = MetricDetail::basic,
     .help = "Alert messages accepted by Alertmanagers and webhooks.",
     .collect = SONDE_SAMPLE(scrape.host.state.alerts.sent)},
    {.name = "sonde_alerts_failed_total",
     .kind = MetricKind::counter,
     .detail = MetricDetail::basic,
     .help = "Failed deliveries of alert messages to Alertmanagers and webhooks.",
     .collect = SONDE_SAMPLE(scrape.host.state.alerts.failed)},
    {.name = "sonde_alerts_waiting",
     .detail = MetricDetail::basic,
     .help = "Alert messages waiting to be sent.",
     .collect = SONDE_SAMPLE(scrape.host.state.alerts.waiting)},
});

}  // namespace
}  // namespace monitor

extern constinit const Family monitor_family;
constinit const Family monitor_family{.name = "monitor", .title = "The service itself", .metrics = monitor::kMetrics};

}  // namespace sonde::monitor
