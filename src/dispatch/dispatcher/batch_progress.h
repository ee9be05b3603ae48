#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "dispatch/store.h"
#include "dispatch/task.h"

namespace sonde::dispatch {

/// How many tasks of each batch are finished, as saved. Has a batch from its submission until its last task ends.
class BatchProgress {
 public:
  using States = std::map<TaskState, int64_t>;  ///< finished tasks

  void restore(const Restored& restored);
  /// True for a new batch, which was submitted.
  [[nodiscard]] bool add(const Batch& batch);
  /// Whether the batch's split over GPUs is another one than in the last call.
  [[nodiscard]] bool is_split_changed(const Batch& batch);
  /// A task of a batch ended. The states of all its tasks if it was the last one.
  [[nodiscard]] std::optional<States> end(const Task& task);

 private:
  struct Progress {
    int64_t left = 0;  ///< tasks that are not finished
    States finished;
    std::map<std::string, int64_t> split;
  };
  std::map<int64_t, Progress> batches_;
};

}  // namespace sonde::dispatch
