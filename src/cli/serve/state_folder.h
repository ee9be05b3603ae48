#pragma once

#include <string>

#include "base/error.h"
#include "config/config.h"

namespace sonde::serve {

/// Where the service keeps what outlives it: sonde.history.path, else $STATE_DIRECTORY (systemd), else
/// $XDG_STATE_HOME/sonde, else ~/.local/state/sonde. Made where it is missing, for its owner alone.
[[nodiscard]] Result<std::string> state_folder(const config::History& options);

}  // namespace sonde::serve
