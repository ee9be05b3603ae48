#pragma once

#include <string>

#include "base/error.h"

namespace sonde::dispatch::store {

/// Makes the folder and the file in it where they are missing, for their owner only: what tasks run may be secret.
/// SQLite gives its log the rights of the file.
[[nodiscard]] Status make_files(const std::string& folder, const std::string& path);

}  // namespace sonde::dispatch::store
