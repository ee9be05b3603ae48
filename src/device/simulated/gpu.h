#pragma once

#include <map>

#include "device/reading.h"
#include "device/simulated/description.h"

namespace sonde::device::simulated {

/// Work that a program puts on a simulated GPU, beside what its description says.
struct Task {
  int64_t pid = 0;
  std::string name;
  double utilization_percent = 0;
  int64_t memory_bytes = 0;
};

/// One simulated GPU. Time goes in whole seconds, so that how often it is read changes nothing.
class Gpu {
 public:
  Gpu(GpuDescription description, size_t index);

  /// Goes on to a moment after the start; back never.
  void advance(int64_t now_ns);
  void start(Task task) { tasks_[task.pid] = std::move(task); }
  void end(int64_t pid) { tasks_.erase(pid); }
  void add(const Fault& fault) { description_.faults.push_back(fault); }

  /// Sets all values of the groups.
  void fill(ValueGroups groups, GpuReading& reading) const;
  /// Whether a fault of the kind holds now.
  [[nodiscard]] bool suffers(FaultKind kind) const;
  [[nodiscard]] const std::vector<Fault>& faults() const { return description_.faults; }

 private:
  struct Work {
    double utilization_percent = 0;
    int64_t memory_bytes = 0;
  };
  [[nodiscard]] const LoadStep* script_step() const;
  [[nodiscard]] Work work() const;
  void settle();
  void second();
  [[nodiscard]] int64_t sum_of(FaultKind kind) const;
  [[nodiscard]] std::vector<GpuProcess> process_list() const;
  void fill_identity(GpuReading& reading) const;
  void fill_fast(GpuReading& reading) const;
  void fill_slow(GpuReading& reading) const;

  GpuDescription description_;
  size_t index_;
  std::map<int64_t, Task> tasks_;  ///< by process
  int64_t seconds_ = 0;
  double celsius_;
  double watts_;
  double clock_share_ = 1;  ///< of the full clock
  int64_t reasons_ = 0;     ///< NVML's bits
  double joules_ = 0;
  int64_t power_cap_s_ = 0;
  int64_t thermal_s_ = 0;
  int64_t brake_s_ = 0;
};

}  // namespace sonde::device::simulated
