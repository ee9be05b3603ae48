#pragma once

#include <sys/types.h>

#include <optional>

#include "base/files/descriptor.h"
#include "dispatch/executor/keeper_program.h"
#include "dispatch/keeper/launch_text.h"

namespace sonde::dispatch {

/// Starts keepers by a process that forks them (keeper/starter.h), which it starts with the first one, and again where
/// somebody killed it. One thread.
class KeeperStarter {
 public:
  /// Both files stay the caller's.
  KeeperStarter(KeeperProgram program, int live_folder, int bell);
  KeeperStarter(const KeeperStarter&) = delete;
  KeeperStarter& operator=(const KeeperStarter&) = delete;
  ~KeeperStarter() { end(); }

  struct Started {
    pid_t pid = 0;                   ///< a child of this program; 0: not known
    Descriptor handle;               ///< readable once it ended; none where there are too many open files
    std::optional<int> lost_status;  ///< how the starter ended, where it did before it told whether there is a keeper
  };
  /// `live`: the attempt's file, which stays locked by the keeper alone once this program closed it. The error's number
  /// where none was started.
  [[nodiscard]] int start(const keeper::KeeperLaunch& launch, int live, Started& started);

 private:
  [[nodiscard]] int begin();
  int end();

  KeeperProgram program_;
  int live_folder_;
  int bell_;
  Descriptor door_;
  pid_t pid_ = 0;
};

}  // namespace sonde::dispatch
