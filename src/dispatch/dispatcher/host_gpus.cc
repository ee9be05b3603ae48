#include "dispatch/dispatcher/host_gpus.h"

namespace sonde::dispatch {

bool HostGpus::update(const monitor::HostSnapshot& host, Engine& engine) {
  if (host.gpus.empty() && indices_.empty()) return false;  // not known yet, which differs from a host without GPUs
  Feed feed = feed_.take(host, engine.running());
  indices_.clear();
  for (const GpuState& gpu : feed.gpus) indices_[gpu.uuid] = gpu.index;
  engine.set_gpus(std::move(feed.gpus), feed.held);
  return true;
}

}  // namespace sonde::dispatch
