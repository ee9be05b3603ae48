#pragma once

#include <span>
#include <string>

#include "cli/command.h"

namespace sonde {

/// What `sonde` without arguments prints: the commands to begin with.
[[nodiscard]] std::string introduction(std::span<const Command> rows);

/// What `sonde --help` prints: all commands, by group.
[[nodiscard]] std::string overview(std::span<const Command> rows);

}  // namespace sonde
