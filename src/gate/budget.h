#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "gate/metric.h"

/// Budget files: what a program may cost. docs/schemas/budget.schema.json is their schema.
///
///     version: 1
///     rules:
///       - avg_kernel_time <= 200 ms            # a fixed bound on the new runs
///       - check: theoretical_occupancy >= 50 %
///         kernel: flash_.*
///       - metric: step_time                    # against the baseline
///         max_change: 3 %
///         floor: 50 us
///       - check: range_latency_p95 <= 20 ms
///         range: ^request
///       - metric: launches_per_step            # exact: not one more, unless max_change allows it
///         severity: warning
namespace sonde::gate {

enum class Severity { error, warning };

enum class Comparison { at_most, below, at_least, above, equal };

/// What must hold of the new runs alone.
struct FixedBound {
  Comparison comparison = Comparison::at_most;
  double bound = 0;  ///< in the metric's unit
};

/// By how much the new runs may be worse than the baseline: the larger of the two.
struct AllowedChange {
  double share = 0;   ///< of the baseline: 0.03 is 3 %
  double amount = 0;  ///< in the metric's unit
};

/// What a rule looks at; everything where nothing is given.
struct RuleSelector {
  std::string kernel;      ///< regular expression (ECMAScript) found in the kernel's name
  std::string module;      ///< path of a module as `sonde modules` prints it
  std::optional<int> gpu;  ///< number of the GPU
  std::string range = {};  ///< regular expression (ECMAScript) found in the range's name
};

struct BudgetRule {
  std::string name;  ///< as given, or the demand in words
  const Metric* metric = nullptr;
  RuleSelector selector;
  std::variant<FixedBound, AllowedChange> demand;
  Severity severity = Severity::error;
  int line = 0;
};

struct Budget {
  /// Over all timed rules together: half a percent, so that a measured rate stays below one.
  double false_alarm_rate = 0.005;
  std::vector<BudgetRule> rules;
};

/// A mistake and where it stands, from 1.
struct BudgetProblem {
  int line = 0;
  int column = 0;
  std::string message;
};

struct BudgetReading {
  Budget budget;                        ///< the rules that are right
  std::vector<BudgetProblem> problems;  ///< in the order of the file; a budget with any must not be used
};

[[nodiscard]] BudgetReading read_budget(std::string_view yaml);

/// "budget.yaml:4:7: unknown key 'severty', did you mean 'severity'?"
[[nodiscard]] std::string problem_text(std::string_view file, const BudgetProblem& problem);

}  // namespace sonde::gate
