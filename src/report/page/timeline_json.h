#pragma once

#include "report/page/blobs.h"
#include "report/page/report_source.h"

namespace sonde {

/// The timeline of a profile (Timeline of web/src/data/format.ts); its columns go into `blobs`. Takes
/// source.timeline, and merges slices until it has no more than `room` bytes in the page.
[[nodiscard]] nlohmann::ordered_json timeline_json(ReportSource& source, size_t room, Blobs& blobs);

}  // namespace sonde
