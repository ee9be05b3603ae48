#include "dispatch/engine/fleet.h"

#include <algorithm>
#include <utility>

namespace sonde::dispatch {
namespace {

const Task kNoTask;

}  // namespace

std::optional<int64_t> Allocation::end_ns(int64_t now_ns) const {
  const int64_t ran = now_ns - started_ns;
  if (run_time) {
    for (const int64_t length : {run_time->low_ns, run_time->median_ns, run_time->high_ns}) {
      if (length > ran) return started_ns + length;
    }
    return std::nullopt;
  }
  if (time_limit_ns && *time_limit_ns > ran) return started_ns + *time_limit_ns;
  return std::nullopt;
}

void Fleet::set_gpus(std::vector<GpuState> states, std::span<const Holding> held) {
  is_known_ = true;
  gpus_.clear();
  by_uuid_.clear();
  states_ = std::move(states);
  loads_.assign(states_.size(), {});
  for (size_t i = 0; i < states_.size(); ++i) {
    by_uuid_.emplace(states_[i].uuid, i);
    gpus_.push_back({.state = states_[i], .load = loads_[i], .tasks = {}});
  }
  for (auto& [task, allocation] : allocations_) allocation.held.clear();
  for (const Holding& holding : held) {
    const auto found = allocations_.find(holding.task);
    if (found != allocations_.end()) found->second.held[holding.gpu_uuid] += holding.bytes;
  }
  rebuild_loads();
}

void Fleet::rebuild_loads() {
  for (FleetGpu& gpu : gpus_) {
    gpu.load = {};
    gpu.tasks.clear();
  }
  for (const auto& [task, allocation] : allocations_) add_load(task, allocation);
}

void Fleet::add_load(int64_t task, const Allocation& allocation) {
  for (const std::string& uuid : allocation.gpus) {
    const auto found = by_uuid_.find(uuid);
    if (found == by_uuid_.end()) continue;
    FleetGpu& gpu = gpus_[found->second];
    gpu.load.tasks += 1;
    gpu.load.reserved_bytes += bytes_on(allocation, gpu.state);
    gpu.tasks.push_back(task);
  }
}

void Fleet::take(int64_t task, Allocation allocation) {
  if (allocation.gpus.empty()) host_tasks_ += 1;
  add_load(task, allocation);
  allocations_.emplace(task, std::move(allocation));
}

void Fleet::release(int64_t task) {
  const auto at = allocations_.find(task);
  if (at == allocations_.end()) return;
  if (at->second.gpus.empty()) host_tasks_ -= 1;
  for (const std::string& uuid : at->second.gpus) {
    const auto found = by_uuid_.find(uuid);
    if (found == by_uuid_.end()) continue;
    FleetGpu& gpu = gpus_[found->second];
    gpu.load.tasks -= 1;
    gpu.load.reserved_bytes -= bytes_on(at->second, gpu.state);
    std::erase(gpu.tasks, task);
  }
  allocations_.erase(at);
}

void Fleet::judge(const config::Config& config, FleetGpu& gpu) {
  const Candidate candidate{.config = config, .task = kNoTask, .gpu = gpu.state, .load = gpu.load};
  gpu.is_open = true;
  gpu.is_usable = true;
  gpu.is_well = true;
  for (const Rule* const rule : rules()) {
    if (!rule->is_of_gpu || !rule->refuses(candidate)) continue;
    gpu.is_open = false;
    if (rule->is_lasting) gpu.is_well = false;
    if (rule->is_lasting || gpu.tasks.empty()) gpu.is_usable = false;
  }
}

void Fleet::refresh(const config::Config& config) {
  const int64_t slots = std::max<int64_t>(1, config.gpu.multi_gpu.max_concurrent_tasks_per_gpu);
  if (slots != std::exchange(slots_, slots)) rebuild_loads();
  for (FleetGpu& gpu : gpus_) judge(config, gpu);
  open_ = static_cast<size_t>(std::ranges::count_if(gpus_, &FleetGpu::is_open));
  const auto first = std::ranges::find_if(gpus_, &FleetGpu::is_well);
  first_well_ = first == gpus_.end() ? std::nullopt : std::optional(static_cast<size_t>(first - gpus_.begin()));
}

void Fleet::refresh(const config::Config& config, std::span<const std::string> uuids) {
  for (const std::string& uuid : uuids) {
    const auto found = by_uuid_.find(uuid);
    if (found == by_uuid_.end()) continue;
    FleetGpu& gpu = gpus_[found->second];
    if (gpu.is_open) open_ -= 1;
    judge(config, gpu);
    if (gpu.is_open) open_ += 1;
  }
}

int64_t Fleet::bytes_on(const Allocation& allocation, const GpuState& gpu) const {
  const int64_t kept = allocation.is_share ? gpu.memory_total_bytes.value_or(0) / slots_ : allocation.reserved_bytes;
  const auto found = allocation.held.find(gpu.uuid);
  return std::max(kept, found == allocation.held.end() ? 0 : found->second);
}

const FleetGpu* Fleet::find(const std::string& uuid) const {
  const auto found = by_uuid_.find(uuid);
  return found == by_uuid_.end() ? nullptr : &gpus_[found->second];
}

const Allocation* Fleet::allocation(int64_t task) const {
  const auto found = allocations_.find(task);
  return found == allocations_.end() ? nullptr : &found->second;
}

}  // namespace sonde::dispatch
