#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

/// Processes of this host, from /proc.
namespace sonde::dispatch::keeper {

struct Process {
  pid_t pid = 0;
  pid_t parent = 0;
  pid_t group = 0;
  pid_t session = 0;
  char state = '?';         ///< as in ps: R, S, D, T, Z ...
  int64_t start_ticks = 0;  ///< since the host's start; with the id, it names a process for good
};

[[nodiscard]] std::optional<Process> find_process(pid_t pid);
[[nodiscard]] std::vector<Process> all_processes();
/// Those of `all` that come from `ancestor`, itself left out, zombies too.
[[nodiscard]] std::vector<Process> descendants_of(pid_t ancestor, const std::vector<Process>& all);
/// The environment that it was started with, names and values separated by zeros; empty where it may not be read.
[[nodiscard]] std::string environment_of(pid_t pid);

}  // namespace sonde::dispatch::keeper
