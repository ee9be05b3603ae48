#pragma once

#include <cstdint>
#include <optional>

#include "dispatch/dispatcher/inbox.h"
#include "dispatch/dispatcher/responses.h"
#include "dispatch/dispatcher/running_attempts.h"
#include "dispatch/dispatcher/saver.h"
#include "dispatch/dispatcher/snapshot_publisher.h"

namespace sonde::dispatch {

/// Takes submissions and cancellations. Invariant: each gets one response. One thread. All but `responses()` change the
/// engine and need its lock.
class RequestIntake {
 public:
  RequestIntake(Engine& engine, const TaskStore& store, Saver& saver, RunningAttempts& attempts,
                SnapshotPublisher& snapshots)
      : engine_(&engine), store_(&store), saver_(&saver), attempts_(&attempts), snapshots_(&snapshots) {}

  void take(SubmitInput& input, int64_t now_ns);
  void take(BatchInput& input, int64_t now_ns);
  void take(CancelInput& input, int64_t now_ns);
  /// Saving failed. Submissions that wait for it are withdrawn from the engine and refused. Cancellations stay in
  /// effect, and their responses say that they are not saved.
  void fail_unsaved();
  [[nodiscard]] Responses& responses() { return responses_; }

 private:
  using SavedKey = Result<int64_t> (TaskStore::*)(const std::string& by, const std::string& key) const;

  [[nodiscard]] bool has_response(const Responses::Key& key, const Responses::Keys& unsaved, SavedKey saved,
                                  const Submitted& answered, int64_t tasks);
  [[nodiscard]] std::optional<Refused> refusal() const;
  void refuse(const Submitted& answered, Refused why, int64_t tasks);
  void recall_dependencies(const TaskSpec& spec);
  void cancel_unsaved(int64_t id);

  Engine* engine_;
  const TaskStore* store_;
  Saver* saver_;
  RunningAttempts* attempts_;
  SnapshotPublisher* snapshots_;
  Responses responses_;
};

}  // namespace sonde::dispatch
