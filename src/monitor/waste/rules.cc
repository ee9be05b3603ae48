#include "monitor/waste/rules.h"

#include <algorithm>
#include <set>
#include <utility>

namespace sonde::monitor {
namespace {

/// Share of the GPU's memory that no living process explains; absent if it is unknown.
double dead_share(const device::GpuReading& reading, const std::vector<OwnedProcess>& processes) {
  if (!reading.running || !reading.memory_used_bytes) return 0;
  int64_t explained = kDriverBytes + (reading.memory_reserved_bytes ? 0 : kReservedBytes);
  for (const auto& [process, owner] : processes) {
    if (!owner.alive) continue;
    if (!process.memory_used_bytes) return 0;  // it may hold any amount
    explained += *process.memory_used_bytes + kContextBytes;
  }
  const int64_t dead = *reading.memory_used_bytes - explained;
  if (dead <= 0) return 0;
  const int64_t total = reading.memory_total_bytes.value_or(*reading.memory_used_bytes);
  return total <= 0 ? 0 : std::min(1.0, static_cast<double>(dead) / static_cast<double>(total));
}

/// Users and containers that hold memory to compute. A desktop's processes hold none in this sense.
std::set<std::pair<std::string, std::string>> holders(const std::vector<OwnedProcess>& processes) {
  std::set<std::pair<std::string, std::string>> found;
  for (const auto& [process, owner] : processes) {
    const bool holds = process.compute && process.memory_used_bytes.value_or(1) > 0;
    if (owner.alive && holds) found.emplace(owner.user, owner.container);
  }
  return found;
}

bool holds_memory(const device::GpuReading& reading) {
  const int64_t driver = reading.memory_reserved_bytes ? 0 : kReservedBytes;
  return reading.memory_used_bytes && *reading.memory_used_bytes > kHeldBytes + driver;
}

/// Whose the part of an idle GPU is that is not dead.
void add_idle(const GpuSample& sample, const std::vector<OwnedProcess>& processes, bool sees_processes, double left,
              Wasted& wasted) {
  const auto owners = holders(processes);
  const bool any_alive = std::ranges::any_of(processes, [](const OwnedProcess& p) { return p.owner.alive; });
  const bool holds = holds_memory(sample.reading);
  if (!owners.empty()) {
    if (!holds && sample.reading.memory_used_bytes) return;  // a daemon that holds nothing worth speaking of
    const double part = left / static_cast<double>(owners.size());
    for (const auto& [user, container] : owners) {
      wasted.shares.push_back({WasteKind::held_idle, user, container, part, part});
    }
  } else if (holds && !sees_processes) {
    wasted.shares.push_back({WasteKind::held_idle, "", "", left, left});
  } else if (!any_alive && (sample.reading.memory_used_bytes || (sample.reading.running && sees_processes))) {
    wasted.shares.push_back({WasteKind::unused, "", "", left, left});
  }
}

}  // namespace

Wasted wasted_now(const GpuSample& sample, const std::vector<OwnedProcess>& processes, bool sees_processes) {
  Wasted wasted;
  const device::GpuReading& reading = sample.reading;
  if (sample.mark.quality != Quality::fresh || !reading.gpu_utilization_percent) return wasted;
  if (reading.power_draw_milliwatts) wasted.watts = static_cast<double>(*reading.power_draw_milliwatts) / 1000;
  const bool idle = *reading.gpu_utilization_percent < kIdleUtilizationPercent;
  // A process that the GPU names and the host has no more is proof enough; else the list must be one to trust.
  const bool named = std::ranges::any_of(processes, [](const OwnedProcess& p) { return !p.owner.alive; });
  const double dead = sees_processes || named ? dead_share(reading, processes) : 0;
  if (dead > 0) wasted.shares.push_back({WasteKind::dead_memory, "", "", dead, idle ? dead : 0});
  if (idle && dead < 1) add_idle(sample, processes, sees_processes || named, 1 - dead, wasted);
  return wasted;
}

}  // namespace sonde::monitor
