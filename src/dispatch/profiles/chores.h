#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <utility>

namespace sonde::dispatch::profiles {

/// A thread that does one thing after the other. What is left undone when it stops is dropped.
class Chores {
 public:
  Chores() : thread_([this] { run(); }) {}
  ~Chores() { stop(); }
  Chores(const Chores&) = delete;
  Chores& operator=(const Chores&) = delete;

  void add(std::function<void()> chore) {
    const std::scoped_lock lock(mutex_);
    chores_.push_back(std::move(chore));
    changed_.notify_one();
  }
  /// Waits for the one that is being done.
  void stop() {
    {
      const std::scoped_lock lock(mutex_);
      ends_ = true;
    }
    changed_.notify_one();
    if (thread_.joinable()) thread_.join();
  }

 private:
  void run() {
    std::unique_lock lock(mutex_);
    while (true) {
      changed_.wait(lock, [&] { return ends_ || !chores_.empty(); });
      if (ends_) return;
      const std::function<void()> chore = std::move(chores_.front());
      chores_.pop_front();
      lock.unlock();
      chore();
      lock.lock();
    }
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> chores_;
  bool ends_ = false;
  std::thread thread_;  ///< last: it uses the others
};

}  // namespace sonde::dispatch::profiles
