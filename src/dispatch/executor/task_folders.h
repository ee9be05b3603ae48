#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <thread>

namespace sonde::dispatch {

/// The folders of tasks, a number each: how much disk they take, and their removal. Both can take long, so that they
/// have a thread of their own. Thread-safe.
class TaskFolders {
 public:
  /// Begins with a look at all that is there.
  explicit TaskFolders(std::string folder);
  TaskFolders(const TaskFolders&) = delete;
  TaskFolders& operator=(const TaskFolders&) = delete;
  ~TaskFolders();

  /// It grows from now on: looked at every some seconds, while somebody asks.
  void grows(int64_t task);
  /// It was written to for the last time.
  void settled(int64_t task);
  void remove(int64_t task);
  void remove_attempt(int64_t task, int64_t attempt);
  /// Allocated on the disk; as of some seconds ago, and growing while the first look goes on.
  [[nodiscard]] int64_t bytes() const;

 private:
  struct Work {
    enum { measure, remove, stop } what = measure;
    int64_t task = 0;
    int64_t attempt = 0;  ///< to be removed; 0: the whole task
  };
  void run();
  void look_at_all();
  [[nodiscard]] std::optional<Work> next();
  void measure(int64_t task);
  void remove_now(const Work& work);
  [[nodiscard]] bool is_look_due() const;
  void measure_growing();
  void set_size(int64_t task, int64_t bytes);
  [[nodiscard]] std::string path_of(int64_t task) const;

  std::string folder_;
  std::map<int64_t, int64_t> sizes_;                 ///< of the thread
  std::chrono::steady_clock::time_point next_look_;  ///< likewise, at what grows
  std::atomic<int64_t> total_ = 0;
  mutable std::atomic<bool> asked_ = false;
  std::atomic<bool> stops_ = false;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Work> work_;
  std::set<int64_t> growing_;
  std::thread thread_;
};

}  // namespace sonde::dispatch
