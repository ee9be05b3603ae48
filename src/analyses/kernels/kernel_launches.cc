#include "analyses/kernels/kernel_launches.h"

#include <algorithm>

namespace sonde {
LaunchPhases phases_of_launch(const Trace& trace, Row kernel) {
  const Kernels& k = trace.kernels;
  const Row call = k.launch[kernel];
  const int64_t api_start = trace.api.start[call];
  const int64_t api_end = std::max(trace.api.end[call], api_start);
  LaunchPhases phases;
  phases.api_start = api_start;
  phases.api_ns = api_end - api_start;
  if (k.start[kernel] > api_end) phases.queue_ns = k.start[kernel] - api_end;
  phases.kernel_ns = k.end[kernel] - k.start[kernel];
  phases.total_ns = std::max(api_end, k.end[kernel]) - api_start;
  return phases;
}

}  // namespace sonde
