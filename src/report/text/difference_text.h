#pragma once

#include <string>

#include "report/tables/comparison.h"
#include "report/tables/table_format.h"

namespace sonde {

/// For people: conditions that differ, length, why, and the levels of the split. `all`: every row and cause, else those
/// that matter.
[[nodiscard]] std::string comparison_text(const Comparison& comparison, bool all, const RenderOptions& options);

}  // namespace sonde
