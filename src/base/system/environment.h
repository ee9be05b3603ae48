#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

namespace sonde {

using EnvironmentVariable = std::pair<std::string, std::string>;  ///< name and value

/// This program's environment as "NAME=VALUE", with `additions` before it and in place of what has the same name.
[[nodiscard]] std::vector<std::string> environment_with(std::span<const EnvironmentVariable> additions);

}  // namespace sonde
