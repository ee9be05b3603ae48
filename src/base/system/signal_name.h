#pragma once

#include <string>

namespace sonde {

/// "SIGTERM"; "signal 34" for one without a name. glibc's sigabbrev_np() exists since 2.32 only.
[[nodiscard]] std::string signal_name(int signal);

}  // namespace sonde
