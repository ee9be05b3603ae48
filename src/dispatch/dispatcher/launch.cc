#include "dispatch/dispatcher/launch.h"
#include "base/time_units.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace sonde::dispatch {
namespace {

/// The worker that serves the attempt's GPU, by UUID or gpu_N; the only one where the task needs no GPU.
std::string worker_of(const Task& task, const std::map<std::string, size_t>& indices) {
  const std::map<std::string, std::string>& workers = task.spec.workers;
  for (const std::string& uuid : task.last()->gpus) {
    if (const auto by_uuid = workers.find(uuid); by_uuid != workers.end()) return by_uuid->second;
    const auto index = indices.find(uuid);
    if (index == indices.end()) continue;
    const auto by_number = workers.find(fmt::format("gpu_{}", index->second));
    if (by_number != workers.end()) return by_number->second;
  }
  return task.last()->gpus.empty() && !workers.empty() ? workers.begin()->second : std::string();
}

}  // namespace

Launch launch_of(const Task& task, const config::Config& config, const std::map<std::string, size_t>& indices) {
  const config::Tasks& tasks = config.sonde.tasks;
  Launch launch;
  launch.task = task.id;
  launch.attempt = task.last()->number;
  launch.command = task.spec.command;
  for (const auto& [name, value] : task.spec.environment) launch.environment.emplace_back(name, value);
  launch.environment.emplace_back("CUDA_VISIBLE_DEVICES", fmt::format("{}", fmt::join(task.last()->gpus, ",")));
  launch.environment.emplace_back("SONDE_TASK_ID", fmt::format("{}", task.id));
  launch.environment.emplace_back("SONDE_TASK_ATTEMPT", fmt::format("{}", task.last()->number));
  launch.folder = task.spec.folder;
  launch.time_limit_ns = task.spec.time_limit_ns;
  launch.grace_ns = static_cast<int64_t>(tasks.cancel_grace * kSecondNs);
  launch.output_limit_bytes = tasks.output_limit;
  if (!task.spec.inference) return launch;
  launch.inference = task.spec.inference;
  launch.worker_url = worker_of(task, indices);
  if (!launch.time_limit_ns) launch.time_limit_ns = static_cast<int64_t>(tasks.worker_timeout * kSecondNs);
  return launch;
}

}  // namespace sonde::dispatch
