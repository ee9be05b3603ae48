#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/error.h"
#include "record/record.h"

namespace sonde::record_cli {

/// Whether the value of -p is a number that no range waits for: ncu's -p is --port.
[[nodiscard]] bool is_port_of_ncu(std::string_view nvtx, std::string_view range);

/// The values of --capture-range, --capture-range-end and --nvtx-capture, as nsys has them.
[[nodiscard]] Result<record::CaptureOptions> read_capture(const std::string& range, const std::string& end,
                                                          const std::optional<std::string>& nvtx);

}  // namespace sonde::record_cli
