#pragma once

#include <span>
#include <string>
#include <string_view>

#include "base/log.h"

namespace sonde::serve {

/// "message name=value name="a value"": one line whatever the values hold. Control characters are written as \n or
/// \x1b, so that nothing that a request or a program's name brings along can make a line of its own.
[[nodiscard]] std::string log_line(std::string_view message, std::span<const LogField> fields);

}  // namespace sonde::serve
