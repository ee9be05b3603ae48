#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <string>
#include <variant>
#include <vector>

#include "dispatch/dispatcher.h"

namespace sonde::dispatch {

struct SubmitInput {
  TaskSpec spec;
  Submitted answered;
};
struct BatchInput {
  std::string name;
  std::string idempotency_key;
  std::vector<TaskSpec> specs;
  Submitted answered;
};
struct CancelInput {
  int64_t task = 0;
  std::string by;
  std::function<void(Result<bool>)> answered;
};
using Input = std::variant<SubmitInput, BatchInput, CancelInput, EndReport>;

/// What happened since the last look, in its order.
struct Inputs {
  std::vector<Input> all = {};
  bool config_changed = false;
  bool gpus_read = false;
};

/// Where other threads leave what happened, until the dispatcher's thread takes all of it. Thread-safe.
class Inbox {
 public:
  void put(Input input) {
    change([&] { inputs_.all.push_back(std::move(input)); });
  }
  void notify_config() {
    change([&] { inputs_.config_changed = true; });
  }
  void notify_gpus() {
    change([&] { inputs_.gpus_read = true; });
  }
  /// Wakes the dispatcher to check the time.
  void wake() {
    change([] {});
  }

  /// What there is; waits for it no longer than `timeout`.
  [[nodiscard]] Inputs take(std::chrono::nanoseconds timeout) {
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, timeout, [&] { return woken_; });
    woken_ = false;
    return std::exchange(inputs_, {});
  }

 private:
  template <typename Change>
  void change(const Change& make) {
    const std::scoped_lock lock(mutex_);
    make();
    if (!std::exchange(woken_, true)) changed_.notify_one();
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  Inputs inputs_;
  bool woken_ = false;
};

}  // namespace sonde::dispatch
