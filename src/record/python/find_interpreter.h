#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "record/python/objects.h"

namespace sonde::record::python {

/// A file with code that a process has mapped, and where its first byte lies.
struct MappedPython {
  std::string path;  ///< as the process names it
  uint64_t begin = 0;
  uint64_t offset = 0;  ///< of the file, at `begin`
};

/// The files of /proc/PID/maps that may be an interpreter: the program itself, and those whose names say so.
[[nodiscard]] std::vector<MappedPython> python_files(std::string_view maps, std::string_view program);

/// 11 of "libpython3.11.so.1.0" or "python3.11"; 0: the name does not say.
[[nodiscard]] int minor_of_name(std::string_view path);

struct Found {
  Interpreter interpreter;
  std::string version;  ///< "3.11.7", or "3.9" where the process does not tell more
  std::string problem;  ///< why it cannot be sampled; empty: it can
};

/// The interpreter in a process; nothing where there is none yet.
[[nodiscard]] std::optional<Found> find_interpreter(pid_t process, const ForeignMemory& memory);

}  // namespace sonde::record::python
