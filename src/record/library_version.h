#pragma once

#include <string>

#include "base/error.h"

namespace sonde::record {

/// An error where the library is not of this program's version: it would not attach, or would write records that this
/// program cannot read.
[[nodiscard]] Status check_library_version(const std::string& path);

}  // namespace sonde::record
