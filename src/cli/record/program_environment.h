#pragma once

#include <string>
#include <vector>

#include "base/error.h"
#include "base/system/environment.h"

namespace sonde::record_cli {

/// The value of nsys' --env-var: NAME=VALUE, more of them behind commas.
[[nodiscard]] Result<std::vector<EnvironmentVariable>> read_environment(const std::string& text);

/// Gives them to this process, whose environment the program gets: lists that Sonde adds to begin with what is there.
/// To be called before there are threads.
void set_environment(const std::vector<EnvironmentVariable>& variables);

}  // namespace sonde::record_cli
