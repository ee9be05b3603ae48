#include "monitor/loop/identities.h"

#include <algorithm>

#include <fmt/format.h>

namespace sonde::monitor::loop {

Identities::Identities(std::span<const Incident> open) {
  for (const Incident& incident : open) {
    if (incident.gpu_index < 0 || incident.gpu_uuid == fmt::format("gpu_{}", incident.gpu_index)) continue;
    known_[static_cast<size_t>(incident.gpu_index)] = {
        .uuid = incident.gpu_uuid, .name = {}, .pci_bus_id = {}, .simulated = incident.simulated};
  }
}

void Identities::recall(std::span<GpuSample> samples, bool simulated) {
  for (const GpuSample& sample : samples) {
    const device::GpuReading& reading = sample.reading;
    if (reading.uuid) known_[sample.gpu] = {*reading.uuid, reading.name, reading.pci_bus_id, simulated};
  }
  for (GpuSample& sample : samples) {
    const auto known = known_.find(sample.gpu);
    if (sample.reading.uuid || known == known_.end() || known->second.simulated != simulated) continue;
    const auto is_its = [&](const GpuSample& other) { return other.reading.uuid == known->second.uuid; };
    if (std::ranges::any_of(samples, is_its)) continue;
    sample.reading.uuid = known->second.uuid;
    if (!sample.reading.name) sample.reading.name = known->second.name;
    if (!sample.reading.pci_bus_id) sample.reading.pci_bus_id = known->second.pci_bus_id;
  }
}

}  // namespace sonde::monitor::loop
