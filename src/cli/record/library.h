#pragma once

#include <string>

#include "base/error.h"

namespace sonde::record_cli {

/// libsonde_inject.so as it is installed beside this program.
[[nodiscard]] Result<std::string> find_library();

/// libsonde_audit.so beside the library.
[[nodiscard]] Result<std::string> find_auditor(const std::string& library);

/// The folder beside the library with what Python runs for --torch-modules.
[[nodiscard]] Result<std::string> find_torch_folder(const std::string& library);

}  // namespace sonde::record_cli
