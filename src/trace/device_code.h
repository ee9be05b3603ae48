#pragma once

#include <functional>
#include <optional>
#include <string_view>
#include <vector>

#include "trace/kernel_profile.h"

namespace sonde {

struct DeviceCode {
  std::vector<DeviceFunction> functions;  ///< not placed anywhere yet
  size_t unread_units = 0;                ///< of the line table
};

/// Gives the id of a text.
using Intern = std::function<NameId(std::string_view)>;

/// The functions of an ELF file of device code (a cubin), with their source lines where those are wanted and the file
/// has them. Absent where it is no ELF file.
[[nodiscard]] std::optional<DeviceCode> read_device_code(std::string_view cubin, bool wants_lines,
                                                         const Intern& intern);

}  // namespace sonde
