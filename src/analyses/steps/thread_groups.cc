#include "analyses/steps/thread_groups.h"

#include <numeric>

#include "trace/columns.h"

namespace sonde {

std::vector<uint32_t> groups_of_threads(const Trace& trace, const Gpus& gpus) {
  std::vector<uint32_t> parent(gpus.gpus.size());
  std::iota(parent.begin(), parent.end(), 0U);
  const auto root = [&](uint32_t gpu) {
    while (parent[gpu] != gpu) gpu = parent[gpu] = parent[parent[gpu]];
    return gpu;
  };
  std::vector<uint32_t> group(trace.threads.size(), kNone);
  for_each_gpu_table(trace, [&](const GpuOps& ops) {
    for (Row row = 0; row < ops.launch.size(); ++row) {
      if (ops.launch[row] == kNone || trace.api.thread[ops.launch[row]] >= group.size()) continue;
      uint32_t& of_thread = group[trace.api.thread[ops.launch[row]]];
      const uint32_t gpu = root(gpus.of_stream[ops.stream[row]]);
      if (of_thread == kNone) of_thread = gpu;
      parent[root(of_thread)] = gpu;
      of_thread = gpu;
    }
  });
  for (uint32_t& g : group) g = g == kNone ? kNone : root(g);
  return group;
}

}  // namespace sonde
