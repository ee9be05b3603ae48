#pragma once

#include <span>
#include <vector>

#include "monitor/monitor.h"

namespace sonde::monitor::loop {

/// By GPU, in the order of the samples.
using Processes = std::vector<std::vector<OwnedProcess>>;

[[nodiscard]] Processes owned_processes(std::span<const GpuSample> samples, ProcessOwners* owners);
[[nodiscard]] std::vector<GpuView> gpu_views(std::span<const GpuSample> samples, const Processes& processes);
/// Sets the open incidents, and each GPU's health by them.
void set_incidents(HostSnapshot& host, const std::vector<Incident>& open);
void count_xids(std::vector<XidCount>& counts, std::span<const device::GpuEvent> events);

}  // namespace sonde::monitor::loop
