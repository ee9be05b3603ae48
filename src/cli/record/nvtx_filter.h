#pragma once

#include <string_view>

#include "base/error.h"
#include "record/kernels/request.h"

namespace sonde::record_cli {

/// Reads what --nvtx-include and --nvtx-exclude take, as ncu has it: "[DOMAIN@]RANGE,RANGE" for start/end ranges that
/// are all open, "[DOMAIN@]RANGE/" and more for push/pop ranges. docs/record/record.md has the whole of it. `option` is
/// named in errors.
[[nodiscard]] Result<record::RangeFilter> parse_range_filter(std::string_view option, std::string_view text);

}  // namespace sonde::record_cli
