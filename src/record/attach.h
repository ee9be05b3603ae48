#pragma once

#include <sys/types.h>

#include <string>

#include "base/error.h"
#include "record/rounds/mapping.h"

namespace sonde::record {

/// What the process calls itself; empty where there is none of that number.
[[nodiscard]] std::string process_name(pid_t process);

/// Makes a running process write into the mapping (wire/door.h). The error says why it cannot, and what can be done;
/// `library` is the libsonde_inject.so that the program would have to be started with.
[[nodiscard]] Status attach_to(pid_t process, const Mapping& mapping, const std::string& library);

}  // namespace sonde::record
