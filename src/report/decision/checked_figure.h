#pragma once

#include <optional>
#include <string>
#include <vector>

#include "gate/decide/decision.h"

namespace sonde {

/// A figure of the new side, for tools that keep a history of benchmarks.
struct CheckedFigure {
  std::string name;  ///< "the run", a kernel; with the rule's name where several rules look at different figures of it
  const gate::Metric* metric = nullptr;
  double value = 0;           ///< in the metric's unit
  std::optional<double> low;  ///< of the value, with 95 % confidence, where the baseline is taken as it was measured
  std::optional<double> high;
  const gate::Verdict* verdict = nullptr;
};

/// Each once, in the order of the budget; those that were not measured are not there.
[[nodiscard]] std::vector<CheckedFigure> checked_figures(const gate::Decision& decision);

}  // namespace sonde
