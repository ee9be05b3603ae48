#pragma once

#include <vector>

#include "record/record.h"

namespace sonde::record {

/// Adds which libraries' calls were asked for and are not there.
void add_library_remark(std::vector<Remark>& remarks, const Trace& trace, const RecordOptions& options);

}  // namespace sonde::record
