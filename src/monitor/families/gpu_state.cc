#include <fmt/format.h>
#include <array>

#include "base/time_units.h"
#include "monitor/families/shared_family.h"

namespace sonde::monitor {
namespace gpu_state {
namespace {

/// "9.0" of 900.
std::string capability_text(const std::optional<int64_t>& capability) {
  return capability ? fmt::format("{}.{}", *capability / 100, *capability % 100) : std::string();
}

void info(const Scrape& scrape, Samples& out) {
  for (const GpuView& gpu : scrape.host.gpus) {
    const device::GpuReading& r = gpu.sample.reading;
    out.add({{"uuid", gpu.uuid},
             {"index", fmt::format("{}", gpu.index)},
             {"name", gpu.name},
             {"pci_bus_id", r.pci_bus_id.value_or("")},
             {"driver_version", scrape.host.source.driver_version},
             {"compute_capability", capability_text(r.compute_capability)},
             {"simulated", scrape.host.source.simulated || r.simulated ? "true" : "false"}},
            1);
  }
}

void up(const Scrape& scrape, Samples& out) {
  for (const GpuView& gpu : scrape.host.gpus) out.add({{"uuid", gpu.uuid}}, values_hold(gpu) ? 1 : 0);
}

void quality(const Scrape& scrape, Samples& out) {
  static constexpr std::array<std::string_view, 4> kStates = {"fresh", "stale", "absent", "contradictory"};
  for (const GpuView& gpu : scrape.host.gpus) {
    add_states(out, gpu.uuid, "quality", kStates, quality_name(gpu.sample.mark.quality));
  }
}

void health(const Scrape& scrape, Samples& out) {
  static constexpr std::array<std::string_view, 3> kStates = {"ok", "warning", "critical"};
  for (const GpuView& gpu : scrape.host.gpus) {
    add_states(out, gpu.uuid, "health", kStates, health_name(gpu.health));
  }
}

void timestamp(const Scrape& scrape, Samples& out) {
  for (const GpuView& gpu : scrape.host.gpus) {
    if (gpu.sample.moment_ns == 0) continue;
    out.add({{"uuid", gpu.uuid}}, static_cast<double>(gpu.sample.moment_ns) / kSecondNs);
  }
}

constexpr auto kMetrics = std::to_array<Metric>({
    {.name = "sonde_gpu_info",
     .detail = MetricDetail::basic,
     .labels = "uuid, index, name, pci_bus_id, driver_version, compute_capability, simulated",
     .help = "Always 1; the labels identify the GPU.",
     .collect = info},
    {.name = "sonde_gpu_up",
     .detail = MetricDetail::basic,
     .labels = "uuid",
     .help = "1 if the GPU responds, 0 if its sample is stale or absent; it exposes no other values then.",
     .collect = up},
    {.name = "sonde_gpu_sample_quality",
     .detail = MetricDetail::basic,
     .labels = "uuid, quality",
     .help = "1 for the quality of the GPU's last sample: fresh, stale, absent or contradictory.",
     .collect = quality},
    {.name = "sonde_gpu_sample_timestamp_seconds",
     .detail = MetricDetail::basic,
     .labels = "uuid",
     .help = "Unix time of the last response of the GPU.",
     .collect = timestamp},
    {.name = "sonde_gpu_health",
     .labels = "uuid, health",
     .help = "1 for the health of the GPU, the highest severity of its open incidents: ok, warning or critical.",
     .collect = health},
});

}  // namespace
}  // namespace gpu_state

extern constinit const Family gpu_state_family;
constinit const Family gpu_state_family{.name = "gpu_state", .title = "GPUs", .metrics = gpu_state::kMetrics};

}  // namespace sonde::monitor
