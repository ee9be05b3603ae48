#pragma once

#include <string>

#include "analyses/summary.h"
#include "report/tables/table_format.h"

namespace sonde {

/// The run on one screen, for people. Lines keep to the terminal's width, or to 100 characters without one.
[[nodiscard]] std::string summary_text(const Trace& trace, const RunSummary& summary, const RenderOptions& options);

}  // namespace sonde
