#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "config/config.h"
#include "dispatch/engine.h"
#include "dispatch/rule.h"

namespace sonde::dispatch {

/// A running task on its GPUs.
struct Allocation {
  int64_t started_ns = 0;
  std::vector<std::string> gpus;
  int64_t reserved_bytes = 0;           ///< on each
  bool is_share = false;                ///< an equal share instead, of as many slots as the configuration of now has
  std::map<std::string, int64_t> held;  ///< by GPU, as last seen
  std::optional<RunTimeEstimate> run_time;  ///< of its type, as it was known when it started
  std::optional<int64_t> time_limit_ns;

  /// When it ends at the earliest that is likely: the 10th percentile of its type's run times while that is ahead, then
  /// median, then 90th; its time limit where those are not known. Absent: unknown, or it runs longer than any of these.
  [[nodiscard]] std::optional<int64_t> end_ns(int64_t now_ns) const;
};

/// A GPU, and what was started there.
struct FleetGpu {
  const GpuState& state;
  GpuLoad& load;               ///< `is_kept` unused: it depends on who asks
  std::vector<int64_t> tasks;  ///< that run there, in the order of their starts
  bool is_open = false;        ///< no rule that looks at the GPU alone refuses it now
  bool is_well = false;        ///< no lasting one does
  bool is_usable = false;      ///< open now, or once tasks end that run there: well, and use and heat may be theirs
};

/// The GPUs of the host and what runs on them. What tasks hold is kept by UUID, so that it survives a GPU that is not
/// seen for a while.
class Fleet {
 public:
  void set_gpus(std::vector<GpuState> states, std::span<const Holding> held);
  void take(int64_t task, Allocation allocation);
  void release(int64_t task);
  /// Judges each GPU by itself, by the rules that look at no task.
  void refresh(const config::Config& config);
  void refresh(const config::Config& config, std::span<const std::string> uuids);

  [[nodiscard]] std::span<const FleetGpu> gpus() const { return gpus_; }
  [[nodiscard]] std::span<const GpuState> states() const { return states_; }
  [[nodiscard]] std::span<const GpuLoad> loads() const { return loads_; }
  /// The larger of what is kept for the task there and what it holds.
  [[nodiscard]] int64_t bytes_on(const Allocation& allocation, const GpuState& gpu) const;
  [[nodiscard]] const FleetGpu* find(const std::string& uuid) const;
  [[nodiscard]] const Allocation* allocation(int64_t task) const;
  [[nodiscard]] bool is_known() const { return is_known_; }  ///< set_gpus() was called
  [[nodiscard]] bool has_open() const { return open_ > 0; }
  /// Place of the first GPU that is well: the only one in use where gpu.multi_gpu.enabled is false.
  [[nodiscard]] std::optional<size_t> first_well() const { return first_well_; }
  /// Tasks that need no GPU.
  [[nodiscard]] int64_t host_tasks() const { return host_tasks_; }

 private:
  static void judge(const config::Config& config, FleetGpu& gpu);
  void rebuild_loads();
  void add_load(int64_t task, const Allocation& allocation);

  std::vector<GpuState> states_;
  std::vector<GpuLoad> loads_;
  std::vector<FleetGpu> gpus_;  ///< refers to the two above
  std::unordered_map<std::string, size_t> by_uuid_;
  std::map<int64_t, Allocation> allocations_;  ///< by task: the order of ids is fixed
  std::optional<size_t> first_well_;
  size_t open_ = 0;
  int64_t host_tasks_ = 0;
  int64_t slots_ = 1;  ///< of each GPU, as configured
  bool is_known_ = false;
};

}  // namespace sonde::dispatch
