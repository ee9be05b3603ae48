#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analyses/module_tree.h"
#include "analyses/warm_up.h"

/// Two runs beside one another: what each spent its time on, by name.
namespace sonde {

/// One side: a run and its modules, which must outlive the comparison, and what repeats in it.
struct ComparedRun {
  const Trace* trace = nullptr;
  const ModuleTree* modules = nullptr;
  const WarmUp* steps = nullptr;  ///< nullptr where nothing repeats
};

/// A part of one side's time; absent where that side has nothing of the name.
struct PartOfRun {
  std::optional<int64_t> ns;
  std::optional<double> count;  ///< a step, so that it may be a fraction
};

struct DifferenceRow {
  std::string name;
  PartOfRun base;
  PartOfRun changed;
};

/// All times are those of a mean step where both runs have steps, else of the whole runs. A mean step is the time from
/// the first steady step's start to the last one's end by their number. Within it, over all GPUs of a side:
///
/// - modules: share of GPU time by path, of each module without those inside, and outside any; adds up to the busy time
/// - kernels: share of GPU time by name, and of copies, sets and graph launches each as a whole; adds up to it too
/// - copies: share of GPU time by direction; adds up to what copies have among the kernels
/// - idle: by cause; adds up to the idle time, which with the busy time is the length times the number of GPUs
///
/// Sums are exact to the nanosecond of the mean: its running sum is rounded, not the parts. A count is of what began
/// within. The rows that changed most stand first; what does not fit into a list is added up in its last row.
struct RunDifference {
  bool per_step = false;
  int64_t base_ns = 0;  ///< length of a step or of the run
  int64_t changed_ns = 0;
  std::vector<DifferenceRow> modules;
  std::vector<DifferenceRow> kernels;
  std::vector<DifferenceRow> copies;
  std::vector<DifferenceRow> idle;
};

/// What kModuleFields names must have been read of both.
[[nodiscard]] RunDifference compare_runs(const ComparedRun& base, const ComparedRun& changed);

/// Rows that a list has at most, that of the others among them.
inline constexpr size_t kMostDifferences = 1000;

}  // namespace sonde
