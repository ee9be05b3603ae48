#pragma once

#include <optional>
#include <string>

#include "base/error.h"
#include "record/record.h"

namespace sonde::record_cli {

/// The values of --capture-range, --capture-range-end and --nvtx-capture, as nsys has them.
[[nodiscard]] Result<record::CaptureOptions> read_capture(const std::string& range, const std::string& end,
                                                          const std::optional<std::string>& nvtx);

}  // namespace sonde::record_cli
