#pragma once

#include <sched.h>

#include <atomic>

namespace sonde::inject {

/// One thread at a time, as long as this lives. A thread of the program waits for another no longer than the processor
/// needs to run it, and continues without its turn then: in a child of fork() the other may be gone for ever.
class Turn {
 public:
  explicit Turn(std::atomic<bool>& taken) noexcept : taken_(taken) {
    constexpr int kTries = 10'000;
    for (int i = 0; i < kTries && !held_; ++i) {
      held_ = !taken_.exchange(true, std::memory_order_acquire);
      if (!held_) sched_yield();
    }
  }
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;
  ~Turn() {
    if (held_) taken_.store(false, std::memory_order_release);
  }
  [[nodiscard]] bool held() const noexcept { return held_; }

 private:
  std::atomic<bool>& taken_;
  bool held_ = false;
};

}  // namespace sonde::inject
