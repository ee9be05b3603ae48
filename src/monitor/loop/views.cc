#include "monitor/loop/views.h"

#include <algorithm>

#include <fmt/format.h>

namespace sonde::monitor::loop {
namespace {

Health health_of(Severity severity) {
  switch (severity) {
    case Severity::critical: return Health::critical;
    case Severity::warning: return Health::warning;
    case Severity::info: break;
  }
  return Health::ok;
}

}  // namespace

Processes owned_processes(std::span<const GpuSample> samples, ProcessOwners* owners) {
  Processes all;
  for (const GpuSample& sample : samples) {
    std::vector<OwnedProcess>& of_gpu = all.emplace_back();
    // Who held memory when the GPU was last heard of need not hold it now.
    if (!sample.reading.running || sample.mark.quality == Quality::absent) continue;
    for (const device::GpuProcess& process : *sample.reading.running) {
      of_gpu.push_back(owned_process(process, sample.reading.simulated, owners));
    }
  }
  return all;
}

std::vector<GpuView> gpu_views(std::span<const GpuSample> samples, const Processes& processes) {
  std::vector<GpuView> views;
  for (size_t i = 0; i < samples.size(); ++i) {
    views.push_back({.index = samples[i].gpu,
                     .uuid = samples[i].reading.uuid.value_or(fmt::format("gpu_{}", samples[i].gpu)),
                     .name = samples[i].reading.name.value_or(""),
                     .sample = samples[i],
                     .health = Health::ok,
                     .processes = processes[i]});
  }
  return views;
}

void set_incidents(HostSnapshot& host, const std::vector<Incident>& open) {
  host.open = open;
  for (GpuView& gpu : host.gpus) {
    gpu.health = Health::ok;
    for (const Incident& incident : open) {
      if (incident.gpu_uuid == gpu.uuid) gpu.health = std::max(gpu.health, health_of(incident.severity));
    }
  }
}

void count_xids(std::vector<XidCount>& counts, std::span<const device::GpuEvent> events) {
  for (const device::GpuEvent& event : events) {
    if (event.kind != device::EventKind::xid) continue;
    auto known = std::ranges::find_if(
        counts, [&](const XidCount& count) { return count.gpu == event.gpu && count.xid == event.code; });
    if (known == counts.end()) known = counts.insert(known, {.gpu = event.gpu, .xid = event.code});
    ++known->count;
    known->last_ns = std::max(known->last_ns, event.moment_ns);
  }
}

}  // namespace sonde::monitor::loop
