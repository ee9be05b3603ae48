#include "analyses/calls/launching_calls.h"

#include "trace/columns.h"

namespace sonde {

std::vector<bool> launching_calls(const Trace& trace) {
  std::vector<bool> launches(row_count(trace.api), false);
  for_each_gpu_table(trace, [&](const GpuOps& ops) {
    for (const Row launch : ops.launch) {
      if (launch != kNone) launches[launch] = true;
    }
  });
  return launches;
}

}  // namespace sonde
