#pragma once

#include <nlohmann/json.hpp>

#include "report/page/report_source.h"

namespace sonde {

/// The steps after the warm-up and what ran in each (Steps of web/src/data/format.ts); null where nothing repeats.
[[nodiscard]] nlohmann::ordered_json steps_json(const ReportSource& source);

}  // namespace sonde
