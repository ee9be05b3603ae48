#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>

namespace sonde::monitor::loop {

/// Lets one thread sleep until it is time, or until another one has something for it.
class Wake {
 public:
  void call() {
    const std::scoped_lock lock(mutex_);
    called_ = true;
    changed_.notify_all();
  }
  void end() {
    const std::scoped_lock lock(mutex_);
    ends_ = true;
    changed_.notify_all();
  }
  /// False where the thread is to end.
  [[nodiscard]] bool sleep(std::chrono::nanoseconds time) {
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, time, [&] { return called_ || ends_; });
    called_ = false;
    return !ends_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool called_ = false;
  bool ends_ = false;
};

}  // namespace sonde::monitor::loop
