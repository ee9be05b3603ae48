#pragma once

#include <span>
#include <string>
#include <vector>

#include "analyses/modules/module_tree.h"
#include "gate/record/run_record.h"

/// The part of a timeline that a record is about, and what its groups are distinguished by. Internal to the record.
namespace sonde::gate {

/// Paths of modules by small numbers: several modules may have one path, in domains of their own.
struct ModulePaths {
  std::vector<std::string> paths;  ///< the first is empty: outside any module
  Ids of_module;                   ///< index into `paths`

  explicit ModulePaths(const ModuleTree& tree);
  [[nodiscard]] uint32_t of(uint32_t module) const { return module == kNone ? 0 : of_module[module]; }
};

struct RunPart {
  /// Of the part that is wanted, where the run has it: else of `otherwise`, else the whole run.
  explicit RunPart(const Trace& run, PartOfRun wanted = PartOfRun::steps, PartOfRun otherwise = PartOfRun::run);

  const Trace& trace;
  Gpus gpus;
  ModuleTree tree;
  ModulePaths modules;
  Span run;       ///< first event to last
  Span extent;    ///< of the steady steps, else the run
  Span launched;  ///< when their work was launched
  bool whole_run = true;
  int64_t steps = 0;
  bool steps_by_range = false;         ///< else launches repeat, where there are steps
  std::vector<Span> windows;           ///< of the kept steps, in order; they touch
  std::vector<Span> launched_windows;  ///< when the work of each was launched: of windows, unless the host runs ahead
  GpuShares shares;                    ///< within the extent

  /// Whether what was launched then is counted. What lasts no time at the end of a run is part of it.
  [[nodiscard]] bool holds(int64_t start) const {
    return whole_run || (start >= launched.first && start < launched.second);
  }
  /// The kept step whose work was launched then; kNone outside them.
  [[nodiscard]] uint32_t window_at(int64_t time) const;
  /// When an operation was launched: the start of its call where that is known, else its own.
  [[nodiscard]] int64_t launched_at(const GpuOps& ops, Row row) const {
    return ops.launch[row] == kNone ? ops.start[row] : trace.api.start[ops.launch[row]];
  }
  /// Index into `modules.paths` of the module that an API call lies in.
  [[nodiscard]] uint32_t path_of_call(Row call) const { return call == kNone ? 0 : modules.of(tree.of_call[call]); }

 private:
  void keep_steps();
  void keep_gpu_work();
};

/// Counts and durations of numbered groups, over the extent and by step.
class Tally {
 public:
  explicit Tally(const RunPart& part) : part_(part) {}

  /// What began at `moment` and took `duration_ns` belongs to `group`, which may be new.
  void add(uint32_t group, int64_t moment, int64_t duration_ns);
  /// Puts a group's numbers into a row of the record.
  template <typename Group>
  void fill(uint32_t group, Group& row) const {
    if (group >= sums_.size()) return fill_empty(row);
    row.count = sums_[group].count;
    row.duration_ns = sums_[group].ns;
    for (size_t step = 0; step < part_.windows.size(); ++step) {
      const Amount& amount = steps_[group * part_.windows.size() + step];
      row.step_count.push_back(amount.count);
      row.step_duration_ns.push_back(amount.ns);
    }
  }

 private:
  struct Amount {
    int64_t count = 0;
    int64_t ns = 0;
  };
  template <typename Group>
  void fill_empty(Group& row) const {
    row.step_count.assign(part_.windows.size(), 0);
    row.step_duration_ns.assign(part_.windows.size(), 0);
  }

  const RunPart& part_;
  std::vector<Amount> sums_;
  std::vector<Amount> steps_;  ///< group by group
};

/// First start and last end of the work of all GPUs. Absent where there is none.
[[nodiscard]] std::optional<Span> gpu_work_extent(const Trace& trace);

[[nodiscard]] std::vector<WorkGroup> work_groups(const RunPart& part);
[[nodiscard]] std::vector<IdleGroup> idle_groups(const RunPart& part);
[[nodiscard]] std::vector<CallGroup> call_groups(const RunPart& part);
[[nodiscard]] std::vector<KernelShape> kernel_shapes(const RunPart& part);
[[nodiscard]] std::vector<GpuOfRun> gpus_of_run(const RunPart& part);
/// Nodes of graphs that ran in a mean step or the run; 0 where no graph was launched, absent where that is not known.
[[nodiscard]] std::optional<int64_t> graph_nodes(const RunPart& part);
/// Mean clock of the SMs of each of `part.gpus` within the extent, where GPU metrics hold it.
[[nodiscard]] std::vector<std::optional<double>> sm_clocks(const RunPart& part);

/// The name of an API call without the versions of CUDA's interfaces: "cudaLaunchKernel_v7000", "cuMemcpyHtoDAsync_v2".
[[nodiscard]] std::string_view without_version(std::string_view call);

}  // namespace sonde::gate
