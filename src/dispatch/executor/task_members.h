#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "dispatch/executor/attempt_files.h"

namespace sonde::dispatch {

/// Which processes belong to which attempt: those that come from its keeper, and, where that was killed, those that
/// have its folder in their environment. Thread-safe.
class TaskMembers {
 public:
  void add(AttemptId id, int64_t keeper, std::string attempt_folder);
  void remove(AttemptId id);
  [[nodiscard]] std::optional<AttemptId> find(int64_t pid) const;

 private:
  /// By number and start: a number is given away again.
  using ProcessKey = std::pair<int64_t, int64_t>;
  [[nodiscard]] std::optional<AttemptId> by_ancestors(int64_t parent) const;
  [[nodiscard]] std::optional<AttemptId> by_environment(int64_t pid) const;

  mutable std::mutex mutex_;
  std::map<int64_t, AttemptId> by_keeper_;
  std::map<std::string, AttemptId> by_folder_;
  mutable std::map<ProcessKey, AttemptId> known_;
};

}  // namespace sonde::dispatch
