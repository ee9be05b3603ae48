#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "record/cpu/cpu_options.h"
#include "record/cpu/symbolizer.h"
#include "record/rounds/parts.h"
#include "record/rounds/slices.h"
#include "trace/trace.h"

namespace sonde::record {

/// What the CPU's part of a recording came to.
struct CpuTally {
  int64_t samples = 0;
  int64_t chains = 0;         ///< samples that have one
  int64_t broken_chains = 0;  ///< that do not reach where their threads began
  int64_t switches = 0;
  int64_t lost = 0;       ///< records that found no room
  int64_t throttled = 0;  ///< times that Linux stopped sampling for a while
  int64_t unread_bytes = 0;
  int64_t last_ns = 0;  ///< the latest time of a sample or switch (CLOCK_MONOTONIC); 0: there is none
  std::vector<std::string> changed_files;  ///< that were replaced since: their functions have no names
};

/// Puts the slices' samples, switches and call chains into a trace, with the processes and threads that it does not
/// have yet, part by part: its tables of samples and switches are empty afterwards. Times in the trace count from
/// `span.begin`; what is outside of the span is left out.
[[nodiscard]] CpuTally fill_cpu_events(Trace& trace, const Slices& slices, Symbolizer& symbolizer, const CpuSpan& span,
                                       bool cycles, const PartTaker& take);

}  // namespace sonde::record
