#pragma once

#include <string>
#include <string_view>

#include "api/message.h"

namespace sonde::api {

/// An error as RFC 9457 has it (application/problem+json): `title` says what is wrong, `detail` what to do. `code` is
/// the last part of its `type`, "/problems/<code>", and stands for programs: "unknown_strategy".
[[nodiscard]] Response problem(int status, std::string_view code, std::string_view title, std::string_view detail);

}  // namespace sonde::api
