// A C++ program whose ranges are known, with threads, conditions and an exception that passes a range.
#include <array>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>

#include "small_nvtx.h"

namespace {

class Range {
 public:
  explicit Range(const std::string& name) { nvtx_push(name.c_str()); }
  Range(const Range&) = delete;
  Range& operator=(const Range&) = delete;
  ~Range() { nvtx_pop(); }
};

void work(int index) {
  for (int i = 0; i < 100; ++i) {
    const Range range("step " + std::to_string(index));
    const Range part("part");
  }
}

void wait_for_each_other() {
  std::mutex mutex;
  std::condition_variable condition;
  bool ready = false;
  std::thread other([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    const std::lock_guard lock(mutex);
    ready = true;
    condition.notify_one();
  });
  std::unique_lock lock(mutex);
  condition.wait(lock, [&] { return ready; });
  lock.unlock();
  other.join();
}

}  // namespace

int main() {
  std::array<std::thread, 4> threads;
  for (int i = 0; i < 4; ++i) threads.at(static_cast<size_t>(i)) = std::thread(work, i);
  for (std::thread& thread : threads) thread.join();
  wait_for_each_other();
  try {
    const Range range("thrown through");
    throw std::runtime_error("expected");
  } catch (const std::runtime_error& error) {
    std::puts(error.what());
  }
  return 0;
}
