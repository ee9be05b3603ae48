#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "dispatch/dispatcher/event_writer.h"
#include "dispatch/dispatcher/inbox.h"
#include "dispatch/dispatcher/pending.h"
#include "dispatch/dispatcher/simulated_work.h"
#include "dispatch/dispatcher/tally.h"
#include "dispatch/forecast.h"
#include "dispatch/gpu_feed/feed.h"
#include "dispatch/profiles/profiler.h"

namespace sonde::dispatch {

/// What the dispatcher's thread does with what comes in, without the thread: each turn takes all inputs, lets the
/// engine decide, saves that in one transaction, and only then answers, starts and cancels. While nothing can be saved,
/// submissions are refused, nothing starts, and ends are kept.
class Core {
 public:
  /// `executor`: set by begin().
  explicit Core(DispatcherParts parts);

  /// Restores what there was.
  [[nodiscard]] Status restore();
  /// Running attempts continue with this executor.
  void begin(Executor& executor);
  void turn(Inputs inputs);
  /// When the next turn is due, whatever happens until then.
  [[nodiscard]] int64_t next_ns() const;
  /// Nothing starts any more, nothing is taken in.
  void drain();
  /// Requests to workers that run still.
  [[nodiscard]] int64_t requests() const;
  void end() {
    profiler_.stop();
    event_writer_.stop();
  }

  // For other threads.
  /// Over only once that is saved.
  [[nodiscard]] Result<std::optional<Task>> find(int64_t task) const;
  [[nodiscard]] Result<std::optional<Batch>> find_batch(int64_t batch) const;
  [[nodiscard]] std::vector<Task> queue(size_t max) const;
  [[nodiscard]] Result<std::optional<Explanation>> explain(int64_t id) const;
  [[nodiscard]] TypeFigures figures_of(const std::string& type) const;
  [[nodiscard]] std::shared_ptr<const QueueSnapshot> snapshot() const;

 private:
  using Key = std::pair<std::string, std::string>;  ///< submitter, idempotency key
  using Keys = std::map<Key, int64_t>;
  using KeptKeys = Result<int64_t> (TaskStore::*)(const std::string& by, const std::string& key) const;
  /// An answer that waits until the task, or batch, is on disk.
  struct Answer {
    int64_t id = 0;
    std::vector<int64_t> tasks;  ///< that are forgotten where it cannot be saved; empty for one that was there before
    int64_t batch = 0;
    Submitted answered;
  };
  struct CancelAnswer {
    int64_t task = 0;
    bool done = false;
    std::function<void(Result<bool>)> answered;
  };
  struct BatchState {
    int64_t left = 0;  ///< tasks that are not over
    std::map<TaskState, int64_t> over;
    std::map<std::string, int64_t> split;  ///< as published last
  };

  void follow_config();
  void follow_gpus();
  void recall(const TaskSpec& spec);
  [[nodiscard]] bool is_answered_again(const Key& key, const Keys& now, KeptKeys before, const Submitted& answered,
                                       int64_t tasks);
  void take(SubmitInput& input);
  void take(BatchInput& input);
  void take(CancelInput& input);
  void take(EndReport& report);
  void reply(std::function<void()> answer) { replies_.push_back(std::move(answer)); }
  [[nodiscard]] std::optional<Refused> refusal() const;
  void refuse(const Submitted& answered, Refused why, int64_t tasks);
  [[nodiscard]] bool restarts(const EndReport& report);

  void step();
  void save();
  void lose(const Error& error);
  void recover();
  void settle();
  void answer_saved();
  void give_replies();
  void publish_saved(const Pending& saved);
  void publish_task(const TaskNews& news);
  void publish_profile(const ProfileRecord& record);
  void follow_forecasts(std::span<const TaskNews> all);
  void publish_batch(int64_t id);
  void start(int64_t id);
  void look_soon();
  void remove_old();
  void publish();
  void forecast(Explanation& explanation, int64_t now_ns) const;
  [[nodiscard]] std::vector<QueueSnapshot::OnGpu> on_gpus() const;
  void find_oldest();
  [[nodiscard]] const Task* live(int64_t id) const;

  DispatcherParts parts_;
  std::shared_ptr<const config::Config> config_;
  Executor* executor_ = nullptr;
  int64_t now_ns_ = 0;  ///< of this turn

  mutable std::mutex mutex_;  ///< of the engine: held where it is changed, and where other threads read it
  std::unique_ptr<Engine> engine_;

  Pending pending_;
  std::vector<Answer> answers_;
  std::vector<CancelAnswer> cancel_answers_;
  std::vector<std::function<void()>> replies_;  ///< given once the mutex is free: they ask this object
  Keys task_keys_;                              ///< of answers_
  Keys batch_keys_;
  std::vector<std::pair<int64_t, int64_t>> ended_;  ///< since the last step
  std::set<std::pair<int64_t, int64_t>> restored_;  ///< attempts that ran when the service ended
  std::map<int64_t, BatchState> batches_;           ///< that are not over
  std::map<std::string, size_t> indices_;           ///< UUID -> number, of the GPUs known now

  GpuFeed feed_;
  SimulatedWork simulated_;
  mutable Forecaster forecaster_;  ///< guarded by mutex_
  Tally tally_;
  EventWriter event_writer_;
  profiles::Profiler profiler_;  ///< its threads use event_writer_

  std::string trouble_;  ///< why nothing can be saved now
  int64_t retry_ns_ = 0;
  bool drains_ = false;
  bool again_ = false;    ///< there is something to be done at once
  bool changed_ = false;  ///< since the last snapshot
  int64_t remove_ns_ = 0;
  int64_t queue_published_ns_ = 0;
  bool queue_unpublished_ = false;
  std::optional<int64_t> oldest_ready_ns_;
  int64_t oldest_found_ns_ = 0;
  int64_t trouble_logged_ns_ = 0;

  mutable std::mutex snapshot_mutex_;
  std::shared_ptr<const QueueSnapshot> snapshot_;
};

}  // namespace sonde::dispatch
