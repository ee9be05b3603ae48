#pragma once

#include <sys/types.h>

#include "base/error.h"
#include "base/files/descriptor.h"

namespace sonde::dispatch {

/// The program `sonde-keeper`, held open: what is started is the one that this service was installed with, also once
/// another version stands in its place.
class KeeperProgram {
 public:
  /// Beside this program, in ../lib/sonde of it, or where SONDE_KEEPER says.
  [[nodiscard]] static Result<KeeperProgram> find();

  /// What it gets of this program's open files; no other.
  struct Files {
    int door = -1;         ///< keeper/starter.h
    int live_folder = -1;  ///< keeper/keeper.h, as the bell
    int bell = -1;
  };
  /// In a session of its own, without this program's environment. The error's number where it cannot be.
  [[nodiscard]] int start(const Files& files, pid_t& pid) const;

 private:
  explicit KeeperProgram(Descriptor program) : program_(std::move(program)) {}
  Descriptor program_;
};

/// SIGTERM to a keeper, marked as its service's: others' end a task too, but cancel nothing.
void tell_to_end(int handle);

}  // namespace sonde::dispatch
