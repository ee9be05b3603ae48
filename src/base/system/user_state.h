#pragma once

#include <string>

namespace sonde {

/// Where this user's programs keep what has to outlive them: $STATE_DIRECTORY (systemd), else $XDG_STATE_HOME/sonde,
/// else ~/.local/state/sonde, whether it is there or not; empty without HOME.
[[nodiscard]] std::string user_state_folder();

}  // namespace sonde
