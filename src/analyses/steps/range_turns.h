#pragma once

#include <string>
#include <vector>

#include "analyses/gpus/busy_time.h"
#include "trace/trace.h"

namespace sonde {

/// Whose ranges of a name are: what a loop's step is called tells its author, or a library about its own parts.
enum class RangeOrigin : uint8_t {
  step,     ///< a step by its name: ProfilerStep#, "step 12", "iteration", "batch"
  program,  ///< other ranges of the program or its framework
  library,  ///< of a domain that a library registers
};

/// Ranges of one name and domain on one thread, in order. None holds another of the same name.
struct RangeTurns {
  std::string label;  ///< the name; its numbers are written '#'
  ThreadId thread = kNone;
  RangeOrigin origin = RangeOrigin::program;
  bool outermost = true;  ///< no other range of their domain holds one of them
  std::vector<Span> spans;
};

/// Names that occur at least `least` times. Operators, Python's frames, and modules inside modules are no steps.
[[nodiscard]] std::vector<RangeTurns> repeated_ranges(const Trace& trace, size_t least);

/// A name with each run of digits replaced by '#': "step 12" and "step 13" are one.
[[nodiscard]] std::string without_numbers(std::string_view name);

}  // namespace sonde
