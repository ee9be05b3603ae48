#pragma once

#include <cstdint>
#include <memory>

#include "dispatch/dispatcher/guarded_engine.h"
#include "dispatch/dispatcher/inbox.h"
#include "dispatch/dispatcher/queries.h"
#include "dispatch/dispatcher/reporter.h"
#include "dispatch/dispatcher/request_intake.h"
#include "dispatch/dispatcher/retention.h"
#include "dispatch/dispatcher/running_attempts.h"
#include "dispatch/dispatcher/saver.h"
#include "dispatch/dispatcher/snapshot_publisher.h"

namespace sonde::dispatch {

/// The loop of the dispatcher's thread, without the thread. Drives its parts in the order that turn() and settle()
/// state. All that must not happen before a change is on disk is in settle().
class Core {
 public:
  explicit Core(DispatcherParts parts);

  /// Restores the tasks of the store.
  [[nodiscard]] Status restore();
  /// Continues the attempts that were running when the service ended. The executor is used until end().
  void begin(Executor& executor);
  void turn(Inputs inputs);
  /// When the next turn is due if no input arrives before.
  [[nodiscard]] int64_t next_ns() const;
  /// Nothing starts and no submission is accepted any more.
  void drain();
  /// Requests to workers that are running.
  [[nodiscard]] int64_t requests() const;
  void end();

  // Any thread.
  [[nodiscard]] const Queries& queries() const { return queries_; }
  [[nodiscard]] std::shared_ptr<const QueueSnapshot> snapshot() const { return snapshots_.current(); }

 private:
  void follow_config();
  void follow_gpus();
  void take(SubmitInput& input) { intake_.take(input, now_ns_); }
  void take(BatchInput& input) { intake_.take(input, now_ns_); }
  void take(CancelInput& input) { intake_.take(input, now_ns_); }
  void take(EndReport& report) { attempts_.take(report, now_ns_); }
  void decide();
  void save();
  void settle(const Pending& saved);
  void remove_old();
  void publish();
  void report_profile(const ProfileRecord& record);

  DispatcherParts parts_;
  GuardedEngine engine_;
  Queries queries_;
  SnapshotPublisher snapshots_;
  Reporter reporter_;
  Saver saver_;
  RunningAttempts attempts_;  ///< its profiler's thread uses queries_ and reporter_
  RequestIntake intake_;
  Retention retention_;
  int64_t now_ns_ = 0;         ///< of this turn; never goes back
  bool has_more_now_ = false;  ///< the next turn is due at once
};

}  // namespace sonde::dispatch
