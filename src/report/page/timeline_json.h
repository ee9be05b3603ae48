#pragma once

#include "report/page/blobs.h"
#include "report/page/report_source.h"

namespace sonde {

/// The timeline of a profile (Timeline of web/src/data/format.ts); its columns go into `blobs`. Takes source.timeline.
[[nodiscard]] nlohmann::ordered_json timeline_json(ReportSource& source, Blobs& blobs);

}  // namespace sonde
