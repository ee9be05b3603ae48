#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "device/simulated/source.h"
#include "dispatch/executor.h"
#include "dispatch/task.h"

namespace sonde::dispatch {

/// Puts tasks on simulated GPUs while they run, so that samples, rules and page see them. One thread.
class SimulatedWork {
 public:
  using CurrentSource = std::function<std::shared_ptr<device::simulated::Source>()>;
  explicit SimulatedWork(CurrentSource source) : source_(std::move(source)) {}

  /// `indices`: UUID of each GPU -> its number. A request to a worker is not put there: the worker is.
  void started(const Task& task, const std::map<std::string, size_t>& indices);
  void ended(int64_t task, int64_t attempt);
  /// Puts there what has a process by now, all of it again where the source is a new one. True where that is so of any.
  bool look(const Executor& executor);
  /// Whether some have no process yet.
  [[nodiscard]] bool waits() const;

 private:
  struct Work {
    int64_t task = 0;
    int64_t attempt = 1;
    std::vector<size_t> gpus;
    device::simulated::Task put = {};
    bool is_seen = false;
  };
  CurrentSource source_;
  std::shared_ptr<device::simulated::Source> last_;
  std::vector<Work> works_;
};

}  // namespace sonde::dispatch
