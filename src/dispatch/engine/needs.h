#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>

#include "config/config.h"
#include "dispatch/estimates.h"
#include "dispatch/rule.h"
#include "dispatch/task.h"

namespace sonde::dispatch {

/// Memory that a task needs on each GPU, and from where that is known.
struct Need {
  MemorySource source = MemorySource::share;
  int64_t bytes = 0;         ///< declared or learned
  int64_t median_bytes = 0;  ///< learned

  /// A share is one of the GPU's slots. What was learned has room for spread: where only that makes it larger than the
  /// GPU, it is the whole GPU.
  [[nodiscard]] int64_t on(const config::Config& config, const GpuState& gpu) const;
};

/// What is known of types, looked up once until more is learned.
class Needs {
 public:
  explicit Needs(const Estimates& estimates) : estimates_(&estimates) {}
  [[nodiscard]] Need of(const Task& task);
  /// The longest that the task should run there: its time limit, or the 90th percentile of its type where that is less.
  [[nodiscard]] std::optional<int64_t> longest_ns(const Task& task, const std::string& gpu_name);
  [[nodiscard]] const std::optional<RunTimeEstimate>& run_time(const std::string& type, const std::string& gpu_name);
  void forget_type(const std::string& type);
  void forget_all();

 private:
  const Estimates* estimates_;
  std::map<std::string, std::optional<MemoryEstimate>> memory_;
  std::map<std::string, std::map<std::string, std::optional<RunTimeEstimate>>> run_time_;  ///< by type, then GPU's name
};

}  // namespace sonde::dispatch
