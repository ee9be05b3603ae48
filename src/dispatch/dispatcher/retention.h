#pragma once

#include <cstdint>
#include <vector>

#include "base/log.h"
#include "dispatch/store.h"

namespace sonde::dispatch {

/// Removes tasks from the store once they have been finished for longer than `sonde.tasks.keep_days`.
class Retention {
 public:
  Retention(TaskStore& store, Log& log) : store_(&store), log_(&log) {}

  /// When remove_old() has something to do.
  [[nodiscard]] int64_t next_ns() const { return next_ns_; }
  /// The tasks that it removed. Their files remain for the caller to remove.
  [[nodiscard]] std::vector<int64_t> remove_old(double keep_days, int64_t now_ns);

 private:
  TaskStore* store_;
  Log* log_;
  int64_t next_ns_ = 0;
};

}  // namespace sonde::dispatch
