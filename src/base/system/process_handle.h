#pragma once

#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

#include "base/files/descriptor.h"

namespace sonde {

/// Readable once the process ended; none where there is no such process, or Linux is older than 5.3. (The C library's
/// own function cannot be called from C++ in Debian 12.)
[[nodiscard]] inline Descriptor process_handle(pid_t pid) {
  return Descriptor(static_cast<int>(syscall(SYS_pidfd_open, pid, 0)));
}

}  // namespace sonde
