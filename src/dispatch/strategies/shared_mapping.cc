#include "dispatch/strategies/shared_mapping.h"

#include <charconv>

#include "dispatch/strategy.h"

namespace sonde::dispatch {

extern const Strategy task_specific_strategy;

const std::string& strategy_of(const config::Config& config, const Task& task) {
  return task.spec.strategy.empty() ? config.gpu.multi_gpu.default_strategy : task.spec.strategy;
}

const std::string* mapping_of(const config::Config& config, const Task& task) {
  if (!config.gpu.multi_gpu.enabled || strategy_of(config, task) != task_specific_strategy.name) return nullptr;
  const auto& mappings = config.gpu.multi_gpu.task_specific_mappings;
  const auto found = mappings.find(task.spec.type);
  return found == mappings.end() ? nullptr : &found->second;
}

bool names_gpu(std::string_view name, const GpuState& gpu) {
  if (name == gpu.uuid) return true;
  if (!name.starts_with("gpu_")) return false;
  name.remove_prefix(4);
  size_t index = 0;
  const auto read = std::from_chars(name.data(), name.data() + name.size(), index);
  return read.ec == std::errc() && read.ptr == name.data() + name.size() && index == gpu.index;
}

}  // namespace sonde::dispatch
