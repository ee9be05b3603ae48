#pragma once

#include <string>

#include "cli/tasks/connection.h"

namespace sonde::tasks {

/// Why a task waits or went where it did, from an answer of GET /api/v1/tasks/{task}/explain. `width`: of the terminal;
/// 0: 100.
[[nodiscard]] std::string explain_text(const Json& explanation, double now_s, size_t width);

}  // namespace sonde::tasks
