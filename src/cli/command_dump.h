#pragma once

#include <span>
#include <string>

#include "cli/command.h"

namespace sonde {

/// All commands with their options as JSON: man pages and completions of shells are made of it.
[[nodiscard]] std::string command_dump(std::span<const Command> rows);

}  // namespace sonde
