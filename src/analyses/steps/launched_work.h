#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analyses/gpus/busy_time.h"
#include "trace/trace.h"

namespace sonde {

/// What one API call put on GPUs. A CUDA graph is one launch.
struct LaunchedCall {
  Row call = kNone;       ///< of `api`
  int64_t start_ns = 0;   ///< of the call
  uint32_t token = 0;     ///< equal for calls that launched operations of the same names
  int64_t before_ns = 0;  ///< sum of durations of all that the same list launched before it
  int64_t first_ns = 0;   ///< start of its first operation
  int64_t last_ns = 0;    ///< end of its last
};

/// Launching calls in the order of their start.
struct LaunchList {
  std::vector<LaunchedCall> work;
  int64_t total_ns = 0;  ///< sum of the durations of all operations

  /// Index of the first call that began at this time or later. Quick if it is shortly behind `near`, and right if no
  /// call before `near` began then.
  [[nodiscard]] size_t from(int64_t time_ns, size_t near = 0) const;
  /// Sum of the durations of what work[index] and the following launched, up to `end`.
  [[nodiscard]] int64_t gpu_ns(size_t index, size_t end) const;
  /// The same for calls that began in the span.
  [[nodiscard]] int64_t gpu_ns(const Span& span) const;
};

/// The launching calls of a run, by thread and by process.
class Launches {
 public:
  explicit Launches(const Trace& trace);

  /// Empty for a thread that launched nothing.
  [[nodiscard]] const LaunchList& of_thread(ThreadId thread) const;
  /// Of the thread's whole process.
  [[nodiscard]] const LaunchList& around(ThreadId thread) const;
  /// Threads that launched, the one with most calls first. With `rank` only those of that rank.
  [[nodiscard]] std::vector<ThreadId> threads(RankId rank = kNone) const;
  [[nodiscard]] const Trace& trace() const { return trace_; }

 private:
  [[nodiscard]] uint32_t process_of(ThreadId thread) const;

  const Trace& trace_;
  std::vector<LaunchList> by_thread_;
  std::vector<LaunchList> by_process_;  ///< empty lists for processes with one launching thread
  std::vector<ThreadId> only_thread_;   ///< by process; kNone where several threads launch
};

/// The name of the first operation that a call launched.
[[nodiscard]] std::string first_operation(const Trace& trace, Row call);

}  // namespace sonde
