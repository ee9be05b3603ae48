#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <vector>

#include "dispatch/keeper/process_table.h"

namespace sonde::dispatch::keeper {

/// All that comes from this process and is not over, whatever group or session it put itself into: this one must be
/// their subreaper.
[[nodiscard]] std::vector<Process> living_descendants();

/// Ends all descendants, those too that are born meanwhile: passes over the process table until the caller finds none.
class Killer {
 public:
  /// A pass, where it is time for one.
  void kill_all(int64_t now_ns);
  [[nodiscard]] std::optional<int64_t> next_ns() const { return next_ns_; }
  [[nodiscard]] bool killed() const { return !killed_.empty(); }

 private:
  std::set<pid_t> killed_;  ///< in the last pass that found a process
  std::optional<int64_t> next_ns_;
  int64_t pause_ns_ = 0;
};

}  // namespace sonde::dispatch::keeper
