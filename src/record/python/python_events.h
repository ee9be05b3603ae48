#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "record/cpu/cpu_options.h"
#include "record/rounds/parts.h"
#include "record/rounds/slices.h"
#include "trace/trace.h"

namespace sonde::record {

/// What Python's part of a recording came to.
struct PythonTally {
  struct Process {
    uint32_t number;
    std::string version;
    std::string problem;  ///< why it was not sampled; empty: it was
  };

  int64_t samples = 0;
  int64_t gil_waits = 0;  ///< samples of threads that waited for the lock
  int64_t torn = 0;       ///< samples whose stack made no sense, and is left out
  int64_t missed = 0;     ///< rounds of samples that the recorder was too late for
  int64_t nameless = 0;   ///< samples of threads without a number, which are left out
  int64_t own_ns = 0;     ///< CPU time of the recorder
  int64_t unread_bytes = 0;
  int64_t last_ns = 0;  ///< the latest time of a sample (CLOCK_MONOTONIC); 0: there is none
  bool states = false;  ///< some tell whether their thread ran
  std::vector<Process> processes = {};
};

/// Puts the samples of Python's threads and their stacks into a trace, as fill_cpu_events() does those of the CPU.
[[nodiscard]] PythonTally fill_python_events(Trace& trace, const Slices& slices, const CpuSpan& span,
                                             const PartTaker& take);

}  // namespace sonde::record
