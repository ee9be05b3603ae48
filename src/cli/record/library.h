#pragma once

#include <string>

#include "base/error.h"

namespace sonde::record_cli {

/// libsonde_inject.so as it is installed beside this program.
[[nodiscard]] Result<std::string> find_library();

}  // namespace sonde::record_cli
