#include "dispatch/engine/needs.h"

#include <algorithm>

namespace sonde::dispatch {

int64_t Need::on(const config::Config& config, const GpuState& gpu) const {
  if (source == MemorySource::declared) return bytes;
  const int64_t total = gpu.memory_total_bytes.value_or(0);
  if (source == MemorySource::share)
    return total / std::max<int64_t>(1, config.gpu.multi_gpu.max_concurrent_tasks_per_gpu);
  const int64_t all = total - gpu.foreign_bytes.value_or(0);
  return all >= median_bytes ? std::min(bytes, all) : bytes;
}

Need Needs::of(const Task& task) {
  if (task.spec.memory_bytes) return {.source = MemorySource::declared, .bytes = *task.spec.memory_bytes};
  auto found = memory_.find(task.spec.type);
  if (found == memory_.end()) found = memory_.emplace(task.spec.type, estimates_->memory(task.spec.type)).first;
  if (!found->second) return {};
  return {
      .source = MemorySource::learned, .bytes = found->second->need_bytes, .median_bytes = found->second->median_bytes};
}

const std::optional<RunTimeEstimate>& Needs::run_time(const std::string& type, const std::string& gpu_name) {
  auto& of_type = run_time_[type];
  auto found = of_type.find(gpu_name);
  if (found == of_type.end()) found = of_type.emplace(gpu_name, estimates_->run_time(type, gpu_name)).first;
  return found->second;
}

std::optional<int64_t> Needs::longest_ns(const Task& task, const std::string& gpu_name) {
  const std::optional<RunTimeEstimate>& known = run_time(task.spec.type, gpu_name);
  if (!known) return task.spec.time_limit_ns;
  return std::min(known->high_ns, task.spec.time_limit_ns.value_or(known->high_ns));
}

void Needs::forget_type(const std::string& type) {
  memory_.erase(type);
  run_time_.erase(type);
}

void Needs::forget_all() {
  memory_.clear();
  run_time_.clear();
}

}  // namespace sonde::dispatch
