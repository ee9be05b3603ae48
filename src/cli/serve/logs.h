#pragma once

#include <memory>
#include <string_view>

#include "base/log.h"

namespace sonde::serve {

/// The journal, with each field also as SONDE_<NAME>, where standard error leads there (systemd's JOURNAL_STREAM says
/// so); else lines on standard error: moment, level, message, name=value.
[[nodiscard]] std::unique_ptr<Log> service_log();

/// "info"; info for a name that is none.
[[nodiscard]] LogLevel log_level_of(std::string_view name);

}  // namespace sonde::serve
