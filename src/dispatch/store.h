#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "dispatch/decision.h"
#include "dispatch/estimates.h"
#include "dispatch/task.h"

namespace sonde::dispatch {

/// The recording of an attempt, and what was found in it.
struct ProfileRecord {
  int64_t task = 0;
  int64_t attempt = 1;
  std::string why;       ///< "asked", "every 100", "slow task", "slow GPU"
  std::string state;     ///< "recording", "analysing", "done", "failed"
  std::string file;      ///< the profile; empty once it was removed
  std::string findings;  ///< JSON array, as `sonde why --json` has it; empty before
  std::string trouble;   ///< why there are none
  int64_t moment_ns = 0;
};

/// What one transaction saves.
struct Changes {
  std::vector<const Task*> tasks;
  std::vector<const Batch*> batches;
  std::vector<Decision> decisions;
  std::vector<ProfileRecord> profiles = {};  ///< of attempts that are about to start
  [[nodiscard]] bool empty() const { return tasks.empty() && batches.empty() && decisions.empty() && profiles.empty(); }
};

/// What there was when the service ended.
struct Restored {
  std::vector<Task> tasks;         ///< not over, and those that they come after
  std::vector<Batch> batches;      ///< of those
  std::vector<Measured> measured;  ///< the last ends of each type, the oldest first
  int64_t last_task = 0;
  int64_t last_batch = 0;
};

struct TaskQuery {
  std::vector<TaskState> states;  ///< empty: all
  std::string type;
  std::string submitted_by;
  int64_t batch = 0;      ///< 0: any
  int64_t before_id = 0;  ///< 0: from the newest on
  int64_t max = 100;
};

/// tasks.db: SQLite, write-ahead log, each transaction synced before save() returns (synchronous=FULL). save() of
/// changes and restore() are for one thread; that of a profile and reading are thread-safe, reading does not wait.
class TaskStore {
 public:
  /// `folder`: made where it is missing. A database that is broken is an error that says what to do: tasks are never
  /// dropped silently. `vfs`: another file layer, for tests.
  [[nodiscard]] static Result<std::unique_ptr<TaskStore>> open(const std::string& folder, const std::string& vfs = {});
  virtual ~TaskStore() = default;

  [[nodiscard]] virtual Result<Restored> restore() = 0;
  /// All or nothing, on disk once it returns. An error (disk full, read-only) leaves all as it was; the next call may
  /// work again.
  [[nodiscard]] virtual Status save(const Changes& changes) = 0;
  [[nodiscard]] virtual Status save(const ProfileRecord& profile) = 0;
  /// Whether a transaction could be saved now: writes and syncs one that changes nothing that anybody reads.
  [[nodiscard]] virtual Status probe() { return {}; }

  [[nodiscard]] virtual Result<std::optional<Task>> find(int64_t task) const = 0;
  [[nodiscard]] virtual Result<std::optional<Batch>> find_batch(int64_t batch) const = 0;
  [[nodiscard]] virtual Result<std::vector<Task>> list(const TaskQuery& query) const = 0;
  [[nodiscard]] virtual Result<std::vector<Batch>> list_batches(int64_t before_id, int64_t max) const = 0;
  [[nodiscard]] virtual Result<std::vector<Decision>> decisions(int64_t task) const = 0;
  [[nodiscard]] virtual Result<std::vector<ProfileRecord>> profiles(int64_t task) const = 0;
  [[nodiscard]] virtual Result<std::vector<ProfileRecord>> profiles_of_type(const std::string& type,
                                                                            int64_t max) const = 0;
  /// Those that are not over, whose file is there, or that began since; the oldest first.
  [[nodiscard]] virtual Result<std::vector<ProfileRecord>> open_profiles(int64_t /*since_ns*/) const {
    return std::vector<ProfileRecord>();
  }
  /// Tasks of the type that first started after the start of the last one for which a recording was made for this
  /// reason; all that there are where there was none.
  [[nodiscard]] virtual Result<int64_t> started_since_profile(const std::string& /*type*/,
                                                              const std::string& /*why*/) const {
    return 0;
  }
  /// The task (or batch) that this key of this submitter made before; 0 for none.
  [[nodiscard]] virtual Result<int64_t> task_of_key(const std::string& by, const std::string& key) const = 0;
  [[nodiscard]] virtual Result<int64_t> batch_of_key(const std::string& by, const std::string& key) const = 0;
  /// Removes tasks that ended before, with decisions and profiles; their ids, for their files. A thousand at most.
  [[nodiscard]] virtual Result<std::vector<int64_t>> remove_ended_before(int64_t moment_ns) = 0;
};

}  // namespace sonde::dispatch
