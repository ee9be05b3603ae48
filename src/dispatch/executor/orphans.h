#pragma once

#include <cstddef>
#include <string>

#include "dispatch/keeper/attempt_record.h"

namespace sonde::dispatch {

/// Variables that each process of a task has. The folder names the attempt among all services of the host.
constexpr std::string_view kTaskVariable = "SONDE_TASK";  ///< TASK.ATTEMPT
constexpr std::string_view kFolderVariable = "SONDE_TASK_FOLDER";

/// SIGKILL to what is left of an attempt whose keeper was killed: the session of its first process, those that have its
/// folder in their environment, and what comes from them. How many there were; none: none is left. A process that is
/// in neither (it cleared its environment and made a session) is not found.
size_t kill_orphans(const keeper::KeeperRecord& record, const std::string& attempt_folder);

/// The folder of the attempt that a process's environment names; empty where it names none, or may not be read.
[[nodiscard]] std::string attempt_folder_of(int64_t pid);

}  // namespace sonde::dispatch
