#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "dispatch/dispatcher/batch_progress.h"
#include "dispatch/dispatcher/event_writer.h"
#include "dispatch/dispatcher/pending.h"
#include "dispatch/dispatcher/snapshot_publisher.h"

namespace sonde::dispatch {

/// Reports changes of tasks, batches and the queue as events, log lines and counts. Invariant: it gets only changes
/// that are on disk. For the dispatcher's thread, except report_profile().
class Reporter {
 public:
  Reporter(const Engine& engine, SnapshotPublisher& snapshots, monitor::EventLog& events, Log& log)
      : engine_(&engine), snapshots_(&snapshots), writer_(events, log) {}

  void restore(const Restored& restored) { batches_.restore(restored); }
  /// Before the engine drops finished tasks: reports contain them.
  void report(const Pending& saved);
  /// Any thread.
  void report_profile(const Task& task) { writer_.write({task.id, "profiled"}, task); }
  /// The queue's next event has something new.
  void queue_changed() { is_queue_event_due_ = true; }
  /// At most two events of the queue a second.
  void report_queue(const std::string& save_error, int64_t now_ns);
  /// When report_queue() has something to do.
  [[nodiscard]] std::optional<int64_t> next_ns() const;
  /// Runs in the writer's thread.
  void later(std::function<void()> chore) { writer_.later(std::move(chore)); }
  /// Writes what is left, and ends the writer's thread.
  void stop() { writer_.stop(); }

 private:
  void report_batch(int64_t id);
  void report_decision(const Decision& decision);
  void report_task(const TaskNews& news);
  void report_end_of_batch(const Task& task);

  const Engine* engine_;
  SnapshotPublisher* snapshots_;
  BatchProgress batches_;
  bool is_queue_event_due_ = false;
  int64_t queue_event_ns_ = 0;  ///< the last one
  EventWriter writer_;
};

}  // namespace sonde::dispatch
