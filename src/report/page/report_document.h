#pragma once

#include <span>
#include <string>

#include "report/page/blobs.h"
#include "report/page/report_source.h"

namespace sonde {

/// One source, or base and new; none where a page has nothing but the verdicts of records.
using ReportSources = std::span<ReportSource* const>;

/// What a page shows first, and where the rest of it lies (ReportDocument of web/src/data/format.ts). Takes the
/// sources' timelines, which are reduced until the page has no more than 25 MB.
[[nodiscard]] nlohmann::ordered_json report_document(const std::string& title, ReportSources sources, Blobs& blobs);

/// All of it but the timeline in one document, for programs (docs/schemas/report.schema.json).
[[nodiscard]] nlohmann::ordered_json report_data_document(const std::string& title, ReportSources sources);

}  // namespace sonde
