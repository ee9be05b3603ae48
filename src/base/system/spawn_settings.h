#pragma once

#include <fcntl.h>
#include <spawn.h>
#include <unistd.h>

#include <csignal>
#include <string>
#include <vector>

namespace sonde {

/// argv or environment of those words, which have to outlive it.
[[nodiscard]] inline std::vector<char*> pointers_to(std::vector<std::string>& words) {
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  return pointers;
}

/// Settings of posix_spawn for a program that leads a process group or a session of its own; frees what it holds.
/// Functions of the C library alone, so that the keeper can be small.
class SpawnSettings {
 public:
  enum class Leads : short { group = POSIX_SPAWN_SETPGROUP, session = POSIX_SPAWN_SETSID };

  explicit SpawnSettings(Leads leads) : flags_(static_cast<short>(leads)) {
    posix_spawn_file_actions_init(&actions_);
    posix_spawnattr_init(&attributes_);
    posix_spawnattr_setflags(&attributes_, flags_);
  }
  SpawnSettings(const SpawnSettings&) = delete;
  SpawnSettings& operator=(const SpawnSettings&) = delete;
  ~SpawnSettings() {
    posix_spawn_file_actions_destroy(&actions_);
    posix_spawnattr_destroy(&attributes_);
  }

  enum class Signals { taken, blocked };
  /// Each signal does what it does by default, all are taken or all blocked; else both are as in this program.
  void reset_signals(Signals signals) {
    sigset_t set{};
    sigfillset(&set);
    posix_spawnattr_setsigdefault(&attributes_, &set);
    if (signals == Signals::taken) sigemptyset(&set);
    posix_spawnattr_setsigmask(&attributes_, &set);
    flags_ = static_cast<short>(flags_ | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
    posix_spawnattr_setflags(&attributes_, flags_);
  }

  // In the order of the calls, in the new process:
  void open_as(int descriptor, const char* path, int how, mode_t mode = 0) {
    posix_spawn_file_actions_addopen(&actions_, descriptor, path, how, mode);
  }
  void hand_over(int from, int as) { posix_spawn_file_actions_adddup2(&actions_, from, as); }
  void run_in(const std::string& folder) { posix_spawn_file_actions_addchdir_np(&actions_, folder.c_str()); }

  /// A path. 0 or the error's number.
  [[nodiscard]] int spawn(const char* program, char* const* words, char* const* environment, pid_t& child) const {
    return posix_spawn(&child, program, &actions_, &attributes_, words, environment);
  }
  /// A path, or a name that is looked up in this program's PATH.
  [[nodiscard]] int spawn_by_name(const char* program, char* const* words, char* const* environment,
                                  pid_t& child) const {
    return posix_spawnp(&child, program, &actions_, &attributes_, words, environment);
  }

 private:
  posix_spawn_file_actions_t actions_{};
  posix_spawnattr_t attributes_{};
  short flags_;
};

}  // namespace sonde
