#pragma once

#include <string>

#include "report/tables/comparison.h"

namespace sonde {

/// What changed, for a pull request: conditions, length, causes, and tables of what changed most.
[[nodiscard]] std::string comparison_markdown(const Comparison& comparison, bool all);

/// Length, causes and tables of a difference alone.
[[nodiscard]] std::string difference_markdown(const gate::Difference& found, bool all);

}  // namespace sonde
