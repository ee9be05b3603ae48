#pragma once

#include <string>
#include <string_view>

#include "base/error.h"
#include "cli/tasks/json_read.h"

namespace sonde::tasks {

/// The body of POST /api/v1/batches from a batch's file, YAML or JSON (docs/serve/tasks.md): `name`, and `tasks` or
/// `count` with `task`. A mistake is told with its file, line and column.
[[nodiscard]] Result<Json> batch_from_text(const std::string& text, std::string_view file);

/// The same, of a file; "-" is standard input.
[[nodiscard]] Result<Json> batch_from_file(const std::string& file);

}  // namespace sonde::tasks
