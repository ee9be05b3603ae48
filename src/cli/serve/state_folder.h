#pragma once

#include <string>

#include "base/error.h"
#include "config/config.h"

namespace sonde::serve {

/// Where the service keeps what outlives it: sonde.history.path, else $STATE_DIRECTORY (systemd), else
/// $XDG_STATE_HOME/sonde, else ~/.local/state/sonde. Made where it is missing, for its owner alone.
[[nodiscard]] Result<std::string> state_folder(const config::History& options);

/// Keeps a state folder for one service: two would each write the same history, and tell each incident twice. The
/// kernel ends it with the process, whatever that ends by.
class StateLock {
 public:
  StateLock() = default;
  ~StateLock();
  StateLock(const StateLock&) = delete;
  StateLock& operator=(const StateLock&) = delete;

  [[nodiscard]] Status take(const std::string& folder);

 private:
  int file_ = -1;
};

}  // namespace sonde::serve
