#pragma once

#include <string>
#include <system_error>

namespace sonde {

/// What an error's number (errno) says: "No such file or directory". Leaves errno alone.
[[nodiscard]] inline std::string system_reason(int error) { return std::generic_category().message(error); }

}  // namespace sonde
