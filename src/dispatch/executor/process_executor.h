#pragma once

#include <array>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <utility>

#include "dispatch/executor.h"
#include "dispatch/executor/attempt_files.h"
#include "dispatch/executor/keeper_starter.h"
#include "dispatch/executor/task_folders.h"
#include "dispatch/executor/task_members.h"
#include "dispatch/executor/worker_requests.h"
#include "dispatch/keeper/attempt_record.h"

namespace sonde::dispatch {

/// One thread starts keepers, hears of their ends by their process handles, and reports. What takes time is a moment of
/// `later_`.
class ProcessExecutor final : public Executor {
 public:
  /// `bell`: the two ends of a pipe that never blocks.
  ProcessExecutor(AttemptFiles files, Descriptor live_folder, std::array<Descriptor, 2> bell, KeeperProgram program,
                  std::function<void(EndReport)> ended);
  ProcessExecutor(const ProcessExecutor&) = delete;
  ProcessExecutor& operator=(const ProcessExecutor&) = delete;
  ~ProcessExecutor() override;

  void adopt(std::span<const std::pair<int64_t, int64_t>> running) override;
  void start(const Launch& launch) override;
  void cancel(int64_t task, int64_t attempt) override;
  void collected(int64_t task, int64_t attempt) override;
  [[nodiscard]] std::optional<std::pair<int64_t, int64_t>> task_of(int64_t pid) const override;
  [[nodiscard]] std::optional<int64_t> pid_of(int64_t task, int64_t attempt) const override;
  [[nodiscard]] Result<std::optional<LogPart>> log(int64_t task, int64_t attempt, LogStream stream, int64_t from,
                                                   int64_t max) const override;
  [[nodiscard]] std::string folder_of(int64_t task, int64_t attempt) const override;
  void remove(int64_t task) override;
  [[nodiscard]] int64_t bytes() const override;
  void stop() override;

 private:
  /// An attempt from start() or adopt() on until its end is collected.
  struct Entry {
    uint64_t keeper = 0;  ///< in keepers_; 0: none is known
    bool is_inference = false;
    bool is_wanted = true;   ///< false: its end is not reported
    bool was_found = false;  ///< running, by a service that did not start it
    bool cancelled = false;
    bool is_over = false;
    bool never_ran = false;            ///< it is over, and may be started again
    std::optional<int64_t> task;       ///< its first process, once known
    std::optional<int> keeper_status;  ///< of waitpid(): how its keeper ended
    int64_t pause_ns = 0;              ///< before the next look at what is not clear yet
  };
  /// A keeper that lives. It does so for a moment after its attempt's end was told, and may have been collected.
  struct Keeper {
    AttemptId id;
    pid_t pid = 0;
    bool is_child = false;  ///< of this program, which has to wait for it
    Descriptor handle;
  };

  // What epoll calls its events.
  static constexpr uint64_t kWake = 0;
  static constexpr uint64_t kBell = 1;
  static constexpr uint64_t kFirstKeeper = 2;

  // Of the thread that calls.
  void post(std::function<void()> work);
  void post_locked(std::function<void()> work);

  // Of the executor's thread.
  void run();
  void take_posted();
  [[nodiscard]] bool has_posted() const;
  void wait_for_events();
  void do_later(AttemptId id, std::function<void()> work);
  void run_due();
  [[nodiscard]] int patience_ms() const;
  void launch(const Launch& launch, int64_t give_up_ns);
  [[nodiscard]] int launch_now(const Launch& launch, Entry& entry);
  void ask_worker(const Launch& launch);
  void follow(Entry& entry, Keeper keeper);
  void hear_bell();
  void end_is_written(AttemptId id);
  void keeper_ended(uint64_t number);
  void reap_strays();
  void settle(AttemptId id);
  void settle_free(AttemptId id, int live);
  void settle_later(AttemptId id);
  [[nodiscard]] bool follow_living(AttemptId id, const keeper::KeeperRecord& record);
  void adopt_now(const std::set<AttemptId>& running);
  void cancel_now(AttemptId id);
  void report(AttemptId id, const keeper::EndRecord& end);
  void worker_ended(const EndReport& report);
  void clear_unwanted(AttemptId id, const Entry& entry);
  [[nodiscard]] bool ran_out_of_gpu_memory(AttemptId id) const;
  void clear(AttemptId id);
  [[nodiscard]] bool is_free(AttemptId id, Descriptor live) const;
  void remember_boot();
  [[nodiscard]] Entry* find(AttemptId id);

  AttemptFiles files_;
  Descriptor live_folder_;
  std::function<void(EndReport)> ended_;
  Descriptor events_;  ///< epoll
  Descriptor wake_;    ///< eventfd
  Descriptor bell_;    ///< keeper/keeper.h
  Descriptor bell_end_;
  KeeperStarter starter_;
  std::unique_ptr<WorkerRequests> workers_;

  TaskMembers members_;
  TaskFolders folders_;

  mutable std::mutex mutex_;
  mutable std::map<AttemptId, Entry> entries_;  ///< callers add, the executor's thread changes
  std::deque<std::function<void()>> posted_;
  bool stopping_ = false;  ///< of the executor's thread

  std::set<AttemptId> from_before_boot_;  ///< what an earlier start of the host left, until that is collected
  std::map<uint64_t, Keeper> keepers_;
  uint64_t next_keeper_ = kFirstKeeper;
  std::vector<pid_t> strays_;                            ///< children without a handle: there were too many open files
  std::multimap<int64_t, std::function<void()>> later_;  ///< by moment
  std::thread thread_;
};

}  // namespace sonde::dispatch
