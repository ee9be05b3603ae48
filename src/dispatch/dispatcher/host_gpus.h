#pragma once

#include <map>
#include <string>
#include <utility>

#include "dispatch/gpu_feed/feed.h"

namespace sonde::dispatch {

/// The host's GPUs as the engine knows them: from the monitor's last round.
class HostGpus {
 public:
  using Indices = std::map<std::string, size_t>;  ///< UUID of each GPU -> its index
  explicit HostGpus(GpuFeed::TaskOf task_of) : feed_(std::move(task_of)) {}

  /// Passes the round to the engine, under the engine's lock. False if the monitor knows no GPU yet.
  bool update(const monitor::HostSnapshot& host, Engine& engine);
  /// Memory that the attempt's processes held until then was a task's.
  void ended(const EndReport& report) { feed_.ended(report.task, report.attempt, report.ended_ns); }
  [[nodiscard]] const Indices& indices() const { return indices_; }

 private:
  GpuFeed feed_;
  Indices indices_;
};

}  // namespace sonde::dispatch
