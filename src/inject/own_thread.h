#pragma once

#include <atomic>
#include <cstdint>

/// Threads of this library's own in a recorded program.
namespace sonde::inject {

/// A detached thread that blocks all signals: the program does not meet it. False where none could be had.
[[nodiscard]] bool start_own_thread(void* (*work)(void*)) noexcept;

/// Wakes a thread of ours, or one that waits for it, without the C library's functions: they may be this library's own,
/// and would be recorded.
class Bell {
 public:
  [[nodiscard]] uint32_t rung() const noexcept { return rung_.load(std::memory_order_acquire); }
  void ring() noexcept;
  /// Until it was rung once more than `seen`, or that time is over.
  void wait(uint32_t seen, int64_t most_ns) noexcept;

 private:
  std::atomic<uint32_t> rung_{0};
};

}  // namespace sonde::inject
