#include "base/system/parallel.h"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <thread>
#include <vector>

namespace sonde {

size_t worker_count() {
  // NOLINTNEXTLINE(concurrency-mt-unsafe): nothing in this program changes its environment.
  if (const char* set = std::getenv("SONDE_THREADS")) {
    const long count = std::strtol(set, nullptr, 10);
    if (count >= 1) return static_cast<size_t>(count);
  }
  return std::max(1U, std::thread::hardware_concurrency());
}

void parallel_for(size_t count, const std::function<void(size_t)>& work) {
  std::atomic<size_t> next{0};
  const auto run = [&] {
    for (size_t i = next++; i < count; i = next++) work(i);
  };
  const size_t helpers = std::min(count, worker_count());
  std::vector<std::jthread> threads;
  for (size_t i = 1; i < helpers; ++i) threads.emplace_back(run);
  run();
}

void run_together(const std::vector<std::function<void()>>& work) {
  parallel_for(work.size(), [&](size_t i) { work[i](); });
}

}  // namespace sonde
