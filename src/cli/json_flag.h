#pragma once

#include <string>

#include "cli/options.h"

namespace sonde {

/// --json of a command whose --format knows "json" too. `format` must outlive parse().
void add_json_flag(CommandLine& command, std::string& format);

}  // namespace sonde
