#pragma once

#include <span>
#include <vector>

#include "importers/pytorch/rows.h"
#include "trace/trace.h"

namespace sonde::pytorch {

/// One end of an arrow from a forward operator to its backward one: both ends are at their operator's start.
struct FlowEnd {
  int64_t id;
  int64_t time;
  ThreadId thread;
  bool backward;
};

/// Marks the operators that arrows lead to as backward, and gives both ends of an arrow a sequence number of their own
/// (negative: the framework's are not) where they have none. Looks at the ranges from row `first` on.
void apply_flows(std::span<const FlowEnd> flows, size_t first, Trace& trace);

}  // namespace sonde::pytorch
