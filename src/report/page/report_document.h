#pragma once

#include <span>
#include <string>

#include "report/page/blobs.h"
#include "report/page/report_source.h"

namespace sonde {

/// What a page shows first, and where the rest of it lies (ReportDocument of web/src/data/format.ts). One source, or
/// base and new, whose timelines are taken.
[[nodiscard]] nlohmann::ordered_json report_document(const std::string& title, std::span<ReportSource* const> sources,
                                                     Blobs& blobs);

}  // namespace sonde
