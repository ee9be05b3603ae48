#pragma once

#include <string>

#include "trace/import_log.h"

namespace sonde {

/// The import log for people, a line an entry: "note: 12 ranges that never ended (nvtx): they are left out of ...".
[[nodiscard]] std::string log_text(const ImportLog& log);

}  // namespace sonde
