#pragma once

#include <string>

#include "report/page/report_source.h"

namespace sonde {

/// What changed from one profile to another, for a pull request: findings that are new and gone, the step's
/// time, causes, and the largest differences.
[[nodiscard]] std::string markdown_differences(const ReportSource& base, const ReportSource& changed);

}  // namespace sonde
