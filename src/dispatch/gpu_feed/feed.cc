#include "dispatch/gpu_feed/feed.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>

namespace sonde::dispatch {
namespace {

constexpr double kPercent = 100;

/// The attempt of `running` that has this GPU; null where it has not.
const Attempt* attempt_on(std::span<const Task* const> running, GpuFeed::Attempted of, const std::string& uuid) {
  for (const Task* task : running) {
    if (task->id != of.first || task->last() == nullptr || task->last()->number != of.second) continue;
    const Attempt* const last = task->last();
    return std::ranges::find(last->gpus, uuid) == last->gpus.end() ? nullptr : last;
  }
  return nullptr;
}

/// What is kept there for tasks of which nobody knows what they hold.
int64_t kept_bytes(std::span<const Task* const> running, std::span<const int64_t> of, const std::string& uuid) {
  int64_t sum = 0;
  for (const Task* task : running) {
    if (task->last() == nullptr || std::ranges::find(of, task->id) == of.end()) continue;
    if (std::ranges::find(task->last()->gpus, uuid) != task->last()->gpus.end()) sum += task->last()->reserved_bytes;
  }
  return sum;
}

std::vector<int64_t> all_of(std::span<const Task* const> running) {
  std::vector<int64_t> ids;
  ids.reserve(running.size());
  for (const Task* task : running) ids.push_back(task->id);
  return ids;
}

template <typename Value>
std::optional<double> divided(const std::optional<Value>& value, double by) {
  if (!value) return std::nullopt;
  return static_cast<double>(*value) / by;
}

GpuState state_of(const monitor::GpuView& gpu, const monitor::HostSnapshot& host) {
  const device::GpuReading& reading = gpu.sample.reading;
  GpuState state;
  state.index = gpu.index;
  state.uuid = gpu.uuid;
  state.name = gpu.name;
  state.compute_capability = reading.compute_capability;
  state.memory_total_bytes = reading.memory_total_bytes;
  if (state.memory_total_bytes) *state.memory_total_bytes -= reading.memory_reserved_bytes.value_or(0);
  state.memory_used_bytes = reading.memory_used_bytes;
  state.utilization = divided(reading.gpu_utilization_percent, kPercent);
  state.temperature_celsius = divided(reading.temperature_celsius, 1);
  state.moment_ns = gpu.sample.moment_ns;
  state.trouble = gpu_trouble(gpu, host);
  return state;
}

}  // namespace

std::string gpu_trouble(const monitor::GpuView& gpu, const monitor::HostSnapshot& host) {
  const monitor::GpuSample& sample = gpu.sample;
  if (sample.failure) return sample.failure->message;
  const bool is_old = sample.mark.quality == monitor::Quality::absent || sample.mark.quality == monitor::Quality::stale;
  if (is_old && !sample.mark.reason.empty()) return sample.mark.reason;
  if (is_old || sample.moment_ns == 0) return "the GPU has not been sampled yet";
  for (const monitor::Incident& incident : host.open) {
    if (incident.severity != monitor::Severity::critical || incident.gpu_uuid != gpu.uuid) continue;
    return fmt::format("incident {} ({}) is open: {}", incident.id, incident.detector, incident.summary);
  }
  return {};
}

std::optional<GpuFeed::Attempted> GpuFeed::attempt_of(int64_t pid) {
  if (const auto now = task_of_(pid)) {
    seen_[pid] = *now;
    return now;
  }
  const auto before = seen_.find(pid);
  if (before == seen_.end()) return std::nullopt;
  return before->second;
}

GpuFeed::Owned GpuFeed::owned(const monitor::GpuView& gpu, std::span<const Task* const> running) {
  Owned owned;
  if (!gpu.sample.reading.running) {
    owned.unknown = all_of(running);
    return owned;
  }
  for (const device::GpuProcess& process : *gpu.sample.reading.running) {
    const auto of = attempt_of(process.pid);
    if (!of) continue;
    const auto end = ended_.find(*of);
    const bool ended_since = end != ended_.end() && gpu.sample.moment_ns <= end->second;
    const bool runs = end == ended_.end() && attempt_on(running, *of, gpu.uuid) != nullptr;
    if (!ended_since && !runs) continue;
    if (runs && !process.memory_used_bytes) owned.unknown.push_back(of->first);
    owned.bytes += process.memory_used_bytes.value_or(0);
    if (runs && process.memory_used_bytes) owned.held[of->first] += *process.memory_used_bytes;
  }
  return owned;
}

void GpuFeed::forget_gone(const monitor::HostSnapshot& host) {
  std::set<int64_t> there;
  for (const monitor::GpuView& gpu : host.gpus) {
    if (!gpu.sample.reading.running) continue;
    for (const device::GpuProcess& process : *gpu.sample.reading.running) there.insert(process.pid);
  }
  std::erase_if(seen_, [&](const auto& entry) { return !there.contains(entry.first); });
  std::erase_if(ended_, [&](const auto& entry) {
    const bool is_seen = std::ranges::any_of(seen_, [&](const auto& seen) { return seen.second == entry.first; });
    return !is_seen && entry.second < host.moment_ns;
  });
}

Feed GpuFeed::take(const monitor::HostSnapshot& host, std::span<const Task* const> running) {
  Feed feed;
  for (const monitor::GpuView& gpu : host.gpus) {
    GpuState state = state_of(gpu, host);
    const Owned own = owned(gpu, running);
    if (state.memory_used_bytes) {
      const int64_t ours = own.bytes + kept_bytes(running, own.unknown, gpu.uuid);
      state.foreign_bytes = std::max<int64_t>(0, *state.memory_used_bytes - ours);
    }
    for (const auto& [task, bytes] : own.held)
      feed.held.push_back({.task = task, .gpu_uuid = gpu.uuid, .bytes = bytes});
    feed.gpus.push_back(std::move(state));
  }
  forget_gone(host);
  return feed;
}

}  // namespace sonde::dispatch
