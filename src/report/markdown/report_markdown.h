#pragma once

#include <string>

#include "report/page/report_document.h"

namespace sonde {

/// A report for an issue or a pull request: what ran, how busy the GPUs were, findings, the largest modules and
/// kernels, with two profiles what changed, and what was not recorded. Within GitHub's limit for a comment.
[[nodiscard]] std::string report_markdown(const std::string& title, ReportSources sources);

}  // namespace sonde
