#include <array>

#include "base/time_units.h"
#include "monitor/families/shared_family.h"

namespace sonde::monitor {
namespace gpu_clocks {
namespace {

/// Reasons for lower clocks that cost performance. Not among them: that the GPU is idle (0x1) or that somebody set
/// application or display clocks (0x2, 0x100).
struct Reason {
  std::string_view name;
  int64_t bit = 0;
  std::optional<int64_t> device::GpuReading::* time_ns = nullptr;  ///< null: no counter
};
constexpr auto kReasons = std::to_array<Reason>({
    {"sw_power_cap", 0x4, &device::GpuReading::sw_power_cap_ns},
    {"hw_slowdown", 0x8, nullptr},
    {"sync_boost", 0x10, &device::GpuReading::sync_boost_ns},
    {"sw_thermal_slowdown", 0x20, &device::GpuReading::sw_thermal_slowdown_ns},
    {"hw_thermal_slowdown", 0x40, &device::GpuReading::hw_thermal_slowdown_ns},
    {"hw_power_brake_slowdown", 0x80, &device::GpuReading::hw_power_brake_ns},
});

void throttled(const Scrape& scrape, Samples& out) {
  for_each_read(scrape, [&](const GpuView& gpu) {
    const auto mask = gpu.sample.reading.clocks_event_reasons;
    if (!mask) return;
    for (const Reason& reason : kReasons) {
      out.add({{"uuid", gpu.uuid}, {"reason", reason.name}}, (*mask & reason.bit) != 0 ? 1 : 0);
    }
  });
}

void throttle_time(const Scrape& scrape, Samples& out) {
  for_each_read(scrape, [&](const GpuView& gpu) {
    for (const Reason& reason : kReasons) {
      if (reason.time_ns == nullptr) continue;
      const auto time_ns = gpu.sample.reading.*reason.time_ns;
      if (!time_ns) continue;
      out.add({{"uuid", gpu.uuid}, {"reason", reason.name}}, static_cast<double>(*time_ns) / kSecondNs);
    }
  });
}

constexpr auto kMetrics = std::to_array<Metric>({
    {.name = "sonde_gpu_clock_throttled",
     .labels = "uuid, reason",
     .help = "1 if the clocks are throttled now, by clocks event reason.",
     .collect = throttled},
    {.name = "sonde_gpu_clock_throttle_seconds_total",
     .kind = MetricKind::counter,
     .labels = "uuid, reason",
     .help = "Time for which the clocks were throttled since the driver was loaded, by clocks event reason.",
     .collect = throttle_time},
});

}  // namespace
}  // namespace gpu_clocks

extern constinit const Family gpu_clocks_family;
constinit const Family gpu_clocks_family{.name = "gpu_clocks", .title = "Throttling", .metrics = gpu_clocks::kMetrics};

}  // namespace sonde::monitor
