#pragma once

#include <vector>

#include "record/record.h"

namespace sonde::record {

/// Adds which libraries' calls were asked for and are not there.
void add_library_remark(std::vector<Remark>& remarks, const Tally& tally, const RecordOptions& options);

}  // namespace sonde::record
