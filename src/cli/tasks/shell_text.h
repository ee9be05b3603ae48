#pragma once

#include <string>

#include "cli/tasks/json_read.h"

namespace sonde::tasks {

/// A command as it can be pasted into bash, safe for a terminal: words are quoted where they need it, those with
/// control characters as $'...'. Empty for what is no list of words.
[[nodiscard]] std::string shell_text(const Json& words);

}  // namespace sonde::tasks
