#pragma once

#include <cstdint>
#include <string>

#include "dispatch/executor.h"

namespace sonde::dispatch {

/// Part of a stream that a keeper wrote (keeper/output_file.h), also while it writes. `path`: of its first file;
/// nothing there: nothing was printed yet. `over`: nothing will be added.
[[nodiscard]] Result<LogPart> read_log(const std::string& path, int64_t from, int64_t max, bool over);

}  // namespace sonde::dispatch
