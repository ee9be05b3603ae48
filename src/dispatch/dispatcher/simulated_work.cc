#include "dispatch/dispatcher/simulated_work.h"

#include <algorithm>

namespace sonde::dispatch {

void SimulatedWork::started(const Task& task, const std::map<std::string, size_t>& indices) {
  if (!source_ || !source_() || task.spec.inference || task.last()->gpus.empty()) return;
  Work work{.task = task.id, .attempt = task.last()->number, .gpus = {}};
  for (const std::string& uuid : task.last()->gpus) {
    if (const auto index = indices.find(uuid); index != indices.end()) work.gpus.push_back(index->second);
  }
  work.put.name = task.spec.command.empty() ? task.spec.type : task.spec.command.front();
  work.put.utilization_percent = task.spec.simulated_utilization_percent;
  work.put.memory_bytes = task.spec.simulated_memory_bytes.value_or(task.last()->reserved_bytes);
  works_.push_back(std::move(work));
}

void SimulatedWork::ended(int64_t task, int64_t attempt) {
  const auto work =
      std::ranges::find_if(works_, [&](const Work& each) { return each.task == task && each.attempt == attempt; });
  if (work == works_.end()) return;
  if (work->is_seen && last_) {
    for (const size_t gpu : work->gpus) {
      if (gpu < last_->gpu_count()) last_->end(gpu, work->put.pid);
    }
  }
  works_.erase(work);
}

bool SimulatedWork::look(const Executor& executor) {
  if (works_.empty()) return false;
  const auto source = source_();
  if (source != last_) {
    for (Work& work : works_) work.is_seen = false;
    last_ = source;
  }
  if (!source) return false;
  bool any = false;
  for (Work& work : works_) {
    if (work.is_seen) continue;
    const auto pid = executor.pid_of(work.task, work.attempt);
    if (!pid) continue;
    work.put.pid = *pid;
    for (const size_t gpu : work.gpus) {
      if (gpu < source->gpu_count()) source->start(gpu, work.put);
    }
    work.is_seen = any = true;
  }
  return any;
}

bool SimulatedWork::waits() const {
  return std::ranges::any_of(works_, [](const Work& work) { return !work.is_seen; });
}

}  // namespace sonde::dispatch
