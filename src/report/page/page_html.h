#pragma once

#include "report/page/blobs.h"
#include "report/tables/table_format.h"

namespace sonde {

/// The page: one file that opens from anywhere and asks nobody for anything, which its content security policy
/// enforces. What it shows first stands before the blobs, so that it is on screen while they are still read.
void write_page(const nlohmann::ordered_json& document, Blobs& blobs, const Sink& sink);

}  // namespace sonde
