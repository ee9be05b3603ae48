#pragma once

#include <string>

#include "cli/tasks/json_read.h"

namespace sonde::tasks {

/// What recordings of a task found, a line for each finding; of the schema TaskProfiles. Empty where there are none.
/// `width`: of the terminal; 0 where there is none.
[[nodiscard]] std::string profiles_text(const Json& profiles, size_t width);

}  // namespace sonde::tasks
