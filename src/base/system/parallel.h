#pragma once

#include <cstddef>
#include <functional>
#include <vector>

namespace sonde {

/// How many threads work may use: SONDE_THREADS where it is set to 1 or more, else the machine's cores.
[[nodiscard]] size_t worker_count();

/// Calls `work(i)` for each i below `count`, on up to worker_count() threads, and returns when all are done.
/// Calls run in no given order; `work` must not throw.
void parallel_for(size_t count, const std::function<void(size_t)>& work);

/// Calls each of these, on up to worker_count() threads, and returns when all are done. They must not throw.
void run_together(const std::vector<std::function<void()>>& work);

}  // namespace sonde
