#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "gate/metric.h"
#include "gate/record/run_record.h"
#include "gate/runs.h"

/// The value of each metric of one run.
namespace sonde::gate {

using Names = std::set<std::string, std::less<>>;

/// Modules that a figure is about.
struct ModuleScope {
  Names paths;
  bool inside = true;  ///< with the modules inside them
};

/// What of a run a figure is about; everything where nothing is given.
struct Scope {
  std::optional<Names> kernels = {};
  std::optional<ModuleScope> modules = {};
  std::optional<int> gpu = {};  ///< number in its process
  std::string range = {};       ///< one name of ranges; empty: none
  /// Exact figures of a step are a mean over the last so many kept steps: runs are aligned by their end. 0: all.
  size_t last_steps = 0;
};

/// What a figure is a sum over.
enum class FigurePer : uint8_t { run, step };

/// What gets a figure by itself.
enum class FigureEach : uint8_t { whole, chosen_kernel, kernel, module, range };

/// A row of figures.inc.
struct Figure {
  std::string_view metric;
  FigurePer per;
  FigureEach each;
  bool in_cycles;
  /// Timed: a value of each kept step, in their order, or one of the run. Exact: one. In the metric's unit. Empty where
  /// the profile does not tell it; what it tells to be none is 0.
  TimedRun (*values)(const RunRecord& run, const Scope& scope);
};

/// Every metric has one.
[[nodiscard]] const Figure& figure_of(const Metric& metric);

[[nodiscard]] bool is_within(std::string_view module, const ModuleScope& scope);

/// Whether the processor counts it, where the machine and the kernel let it.
[[nodiscard]] bool is_processor_count(std::string_view metric);

/// The fewest values that a quantile is given for, so that one of them is expected beyond it: 20 for the 95th
/// percentile, 100 for the 99th. 0 for a metric that is none. (A run keeps kMaxSteps steps.)
[[nodiscard]] size_t least_values(std::string_view metric);

/// Durations of kernels by name, of a mean step or of the run; of a kernel report the sum over its launches.
[[nodiscard]] std::map<std::string, double, std::less<>> kernel_times(const RunRecord& run, const Scope& scope);
/// GPU time of each module without those inside it, of a mean kept step or of the run; those that have any.
[[nodiscard]] std::map<std::string, double, std::less<>> module_times(const RunRecord& run, const Scope& scope);

}  // namespace sonde::gate
