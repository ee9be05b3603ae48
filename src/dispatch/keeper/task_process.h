#pragma once

#include <sys/types.h>

#include <array>
#include <string>

#include "base/files/descriptor.h"
#include "dispatch/keeper/launch_text.h"

namespace sonde::dispatch::keeper {

/// The first process of a task, and what it prints.
struct TaskProcess {
  pid_t pid = 0;
  std::array<Descriptor, 2> streams;  ///< standard output and error, to be read without waiting
  std::string trouble;                ///< why it could not be started, in one sentence; empty where it was
};

/// Starts it as the leader of a session of its own, with nothing on its standard input, the signals as a program
/// expects them, and its program looked up by its own PATH.
[[nodiscard]] TaskProcess start_task(const KeeperLaunch& launch);

}  // namespace sonde::dispatch::keeper
