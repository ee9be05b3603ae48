#pragma once

#include <atomic>
#include <string>

#include "base/error.h"

namespace sonde::serve {

/// What `sonde why FILE --json` prints, by this program in a process of its own: profiles are written by tasks, and can
/// be anything. Can take minutes; `stop` ends it.
[[nodiscard]] Result<std::string> why_of(const std::string& file, const std::atomic<bool>& stop);

}  // namespace sonde::serve
