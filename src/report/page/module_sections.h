#pragma once

#include <nlohmann/json.hpp>

#include "report/page/report_source.h"

namespace sonde {

/// Sections of the page on a module tree of the source: `Modules` and `ModuleWork` of web/src/data/format.ts. null
/// where it has nothing.
[[nodiscard]] nlohmann::ordered_json modules_json(const ReportSource& source, const ModuleTree& tree);
[[nodiscard]] nlohmann::ordered_json module_work_json(const ReportSource& source, const ModuleTree& tree);

}  // namespace sonde
