#pragma once

#include <linux/perf_event.h>
#include <sys/types.h>

#include <functional>
#include <string>
#include <vector>

#include "base/error.h"
#include "record/cpu/cpu_options.h"

namespace sonde::record {

/// perf_event_open(2): the event's descriptor, or -1 with errno. Tests put another in its place.
using PerfEventOpen = std::function<int(perf_event_attr& attributes, pid_t process, int cpu)>;
[[nodiscard]] PerfEventOpen system_perf_event_open();

/// Of the stack, copied with each sample; perf(1) takes 8 KB. Of the chains of a PyTorch model 47 % were longer than 16
/// KB, and 3 % than this; 60 KB had no fewer.
inline constexpr uint32_t kStackBytes = 32768;

/// What could be opened.
struct PerfEvents {
  std::vector<int> events;  ///< one a CPU, owned by the caller
  bool kernel = true;       ///< what runs in the kernel is sampled too
  bool cycles = false;      ///< periods are cycles, else nanoseconds of CPU time
};

/// Opens events on a process and all that it will start, which begin when it executes a program; or, system-wide, on
/// everything, which begin at once. What this system does not have or permit is left out as far as possible; fails with
/// the reason and what helps where nothing is left.
[[nodiscard]] Result<PerfEvents> open_perf_events(const CpuOptions& options, pid_t process, const PerfEventOpen& open);

}  // namespace sonde::record
