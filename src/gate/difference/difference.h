#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "findings/finding.h"
#include "gate/difference/comparable.h"
#include "gate/record/run_record.h"

/// What changed between two sides, and why.
namespace sonde::gate {

/// A part of one side's time; absent where that side has nothing of it.
struct Part {
  std::optional<int64_t> ns;    ///< of a mean step (or run), over all GPUs
  std::optional<double> count;  ///< a step
};

/// What became of a row's work.
enum class ChangeKind : uint8_t { same, slower, faster, more, fewer, added, removed, other_configuration, renamed };

struct DifferenceRow {
  std::string name;    ///< kernel, module path, direction, idle cause, call
  std::string within;  ///< module of a kernel or call, GPU time's parent; may be empty
  Part base;
  Part changed;
  ChangeKind kind = ChangeKind::same;
  std::optional<int64_t> clock_ns =
      {};                     ///< of the change: what disappears in cycles. Absent where clocks are not known
  std::string detail = {};    ///< of other_configuration: "registers 64 -> 72, grid 108x1x1 -> 216x1x1"
  std::string new_name = {};  ///< of a kernel that has another name on the new side
  [[nodiscard]] int64_t change_ns() const { return changed.ns.value_or(0) - base.ns.value_or(0); }
};

/// A reason for the change: a text of causes_en.inc with its arguments. A row of a level that nothing distinguished is
/// one by itself. Causes add up to the change of the step's (run's) GPU time, the rest among them.
struct Cause {
  std::string_view id;  ///< in causes_en.inc
  std::vector<Argument> arguments;
  int64_t change_ns = 0;  ///< of GPU time: busy and idle
};

/// Several runs of a side are one: their sums divided by all their steps. Each sum is exact to the nanosecond of the
/// mean: the running sum is rounded, not the parts. Times are of a mean step where every run has steps, else of a mean
/// run. Rows that changed most come first.
struct Difference {
  bool per_step = false;
  PartOfRun part = PartOfRun::run;  ///< that both sides' times are of, where they are of one
  Comparable comparable = {};       ///< no causes where it says so
  size_t base_runs = 0;
  size_t changed_runs = 0;
  int64_t base_ns = 0;  ///< length of the step or run
  int64_t changed_ns = 0;
  std::optional<int64_t> base_wall_ns;  ///< mean of whole runs
  std::optional<int64_t> changed_wall_ns;
  Setup base_setup = {};  ///< means
  Setup changed_setup = {};
  size_t gpus = 0;                 ///< most of any run; time of a GPU that a run does not have is idle "no such GPU"
  std::vector<DifferenceRow> top;  ///< "busy", then "idle" causes; sums to changed_ns * gpus - base_ns * gpus
  std::vector<DifferenceRow> modules;  ///< share of GPU time by path of its own, "(outside any module)"; sums to busy
  std::vector<DifferenceRow> kernels;  ///< by kernel, "[copies]", "[memsets]", "[graph launches]"; sums to busy
  std::vector<DifferenceRow> kernels_in_modules;  ///< kernel (copies by direction) within module; sums to busy
  std::vector<DifferenceRow> copies;              ///< by direction and memory; sums to what copies have
  std::vector<DifferenceRow> idle;                ///< cause within module, while in a call; sums to idle
  std::vector<DifferenceRow> calls;  ///< API calls by name within module: time on the host, not part of any sum
  std::vector<Cause> causes;         ///< what explains the change first, then what goes against it, the rest last
};

[[nodiscard]] Difference difference_of(std::span<const RunRecord> base, std::span<const RunRecord> changed);

/// A kernel of two kernel reports, as a chain of cause: each link is a figure that changed.
struct KernelChange {
  std::string kernel;
  std::string base_kernel = {};  ///< what it is called in the base, where that is another name; empty otherwise
  /// What explains the change best: a text of causes_en.inc; empty where nothing that was collected does.
  std::string_view cause = {};
  std::optional<double> base_ns;  ///< mean duration
  std::optional<double> changed_ns;
  std::optional<int64_t> clock_ns;  ///< of the change of the mean: what disappears in cycles; 0 for equal clocks
  /// The problem is larger or smaller, so the times do not compare: how the time of a thread changed, in percent.
  std::optional<double> percent_per_thread = {};
  struct Link {
    std::string figure;  ///< "registers", "blocks per SM", "occupancy", ...
    Argument base;
    Argument changed;
  };
  std::vector<Link> links;  ///< cause first, time last
};
[[nodiscard]] std::vector<KernelChange> kernel_changes(std::span<const RunRecord> base,
                                                       std::span<const RunRecord> changed);

/// A text of causes_en.inc. Empty for an id that it does not have.
[[nodiscard]] std::string_view cause_text(std::string_view id);

}  // namespace sonde::gate
