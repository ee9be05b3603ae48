#pragma once

#include <span>
#include <string>
#include <string_view>

#include "base/log.h"

namespace sonde::serve {

/// A log message in the native format of systemd's journal: MESSAGE (log_line()), PRIORITY, SYSLOG_IDENTIFIER, and each
/// field as SONDE_<NAME>.
[[nodiscard]] std::string journal_entry(LogLevel level, std::string_view message, std::span<const LogField> fields);

}  // namespace sonde::serve
