#pragma once

#include <string>
#include <vector>

#include "dispatch/executor.h"

namespace sonde::dispatch {

/// NAME=VALUE of all that an attempt gets: the service's own but for what was meant for the service alone (its key, its
/// sockets and its watchdog of systemd), those of the launch in place of others of the same name, and which attempt it
/// is: SONDE_TASK, SONDE_TASK_FOLDER.
[[nodiscard]] std::vector<std::string> task_environment(const Launch& launch, const std::string& attempt_folder);

}  // namespace sonde::dispatch
