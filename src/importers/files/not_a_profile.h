#pragma once

#include <string>
#include <string_view>

#include "base/error.h"

namespace sonde {

/// Says what a file is that no importer takes, and what to do to get a profile out of it.
[[nodiscard]] Error not_a_profile(const std::string& path, std::string_view head);

}  // namespace sonde
