#pragma once

#include <chrono>
#include <memory>
#include <string>

#include "base/error.h"
#include "base/log.h"
#include "cli/serve/sources.h"
#include "config/live.h"
#include "dispatch/dispatcher.h"
#include "monitor/monitor.h"

namespace sonde::serve {

struct TaskParts {
  config::LiveConfig* config = nullptr;
  Log* log = nullptr;
  monitor::Monitor* monitor = nullptr;
  monitor::EventLog* events = nullptr;
  std::string folder;  ///< that keeps what outlives the service
  std::function<std::shared_ptr<device::simulated::Source>()> simulated;
  std::function<int64_t()> now_ns;
};

/// Tasks of the service: their database, their files, and the dispatcher over both.
class Tasks {
 public:
  /// Also where sonde.tasks.enabled is false: a reload may change that, and what was taken goes on. Null where they are
  /// switched off and cannot be opened, which the log says. Before the monitor starts.
  [[nodiscard]] static Result<std::unique_ptr<Tasks>> open(const TaskParts& parts);

  /// After the monitor started. The error: task_specific_mappings name a GPU that this host does not have.
  [[nodiscard]] Status check() const;
  void start();
  /// Lets requests to workers end, within sonde.tasks.drain_timeout; commands go on.
  void stop();
  [[nodiscard]] bool alive() const;
  [[nodiscard]] std::string status() const;  ///< "3 tasks run, 12 wait"
  [[nodiscard]] dispatch::Dispatcher& dispatcher() { return *dispatcher_; }

 private:
  [[nodiscard]] static Result<std::unique_ptr<Tasks>> opened(const TaskParts& parts);
  explicit Tasks(TaskParts parts) : parts_(std::move(parts)) {}

  TaskParts parts_;
  std::unique_ptr<dispatch::TaskStore> store_;
  std::unique_ptr<dispatch::Dispatcher> dispatcher_;
};

/// That stop() takes at most.
[[nodiscard]] std::chrono::milliseconds drain_time(const config::Config& config);

}  // namespace sonde::serve
