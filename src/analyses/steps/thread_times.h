#pragma once

#include <vector>

#include "analyses/gpus/busy_time.h"
#include "trace/trace.h"

namespace sonde {

/// A thread on a core, from the switch that put it there to its next switch.
struct OnCore {
  ThreadId thread = kNone;
  int32_t cpu = kUnknown32;
  Span span;
  bool switched = true;  ///< false for what it did there before its first switch
};

/// All times of threads on cores, thread by thread in the order of time. Their sum for a thread is its
/// ThreadTime::running_ns. Needs kThreadTimeFields.
[[nodiscard]] std::vector<OnCore> times_on_cores(const Trace& trace);

/// What is known of where a thread's time went.
enum class ThreadTimeSource : uint8_t {
  none,
  scheduling,  ///< context switches
  calls,       ///< traced calls that wait: of the OS runtime by kind, of CUDA those that wait for the GPU
};

/// Where the time of one thread went.
struct ThreadTime {
  ThreadTimeSource source = ThreadTimeSource::none;
  Span span{0,
            0};  ///< first to last of its switches, calls and ranges; while it is on a core to the last switch of all
  int64_t running_ns = kUnknown;  ///< on a core; unknown from calls
  int64_t ready_ns = kUnknown;    ///< off the cores although it could have run; unknown where switches have no states
  int64_t blocked_ns = kUnknown;  ///< off the cores otherwise, or in calls that wait
  NameId blocked_in = kNone;      ///< name of the innermost calls in which it was blocked most
  int64_t blocked_in_ns = 0;
  int64_t switches = kUnknown;    ///< times that it was put on a core
  int64_t migrations = kUnknown;  ///< times that it came back on another core
  int64_t cores = kUnknown;
  int64_t kernels = 0;  ///< launched by its calls
};

/// What thread_times() reads.
inline constexpr Fields kThreadTimeFields{Field::scheduling, Field::os_calls, Field::api,     Field::library_calls,
                                          Field::ranges,     Field::launches, Field::kernels, Field::streams};

/// One for each thread of the trace.
[[nodiscard]] std::vector<ThreadTime> thread_times(const Trace& trace);

}  // namespace sonde
