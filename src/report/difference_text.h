#pragma once

#include <string>

#include "report/comparison.h"
#include "report/table_format.h"

namespace sonde {

/// For people: conditions that differ, length, why, and the levels of the split. `all`: every row and cause, else those
/// that matter.
[[nodiscard]] std::string comparison_text(const Comparison& comparison, bool all, const RenderOptions& options);

}  // namespace sonde
